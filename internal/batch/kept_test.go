package batch

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/pipeline/event"
)

// streamed reads the one record of a batch.
func streamed(t *testing.T, raw []byte) (r *kgo.Record) {
	t.Helper()
	b, err := Parse(raw)
	if err == nil {
		err = b.Read(Place{Topic: "t"}, func(x *kgo.Record) error { r = x; return nil })
	}
	if err != nil || r == nil || RangeOf(r) != nil {
		t.Fatalf("record %+v, %v", r, err)
	}
	return r
}

// TestKeysAndHeadersAgreeWithTheClient: a streamed record has the key and headers that the client gives it.
func TestKeysAndHeadersAgreeWithTheClient(t *testing.T) {
	long := strings.Repeat("x", MaxHeaderBytes-headerCost-4)
	for i, raw := range [][]byte{
		record(0, nil, nil),
		record(0, []byte{}, []byte{}, kgo.RecordHeader{}, kgo.RecordHeader{Key: "empty", Value: []byte{}}),
		record(0, []byte("k"), []byte("v"), kgo.RecordHeader{Key: "a", Value: []byte("1")}, kgo.RecordHeader{Key: "a", Value: []byte("2")}),
		record(0, bytes.Repeat([]byte("k"), MaxKeyBytes), []byte("v"), kgo.RecordHeader{Key: "long", Value: []byte(long)}),
		record(0, bytes.Repeat([]byte("k"), MaxKeyBytes+1), []byte("v"), kgo.RecordHeader{Key: long, Value: []byte("long")}),
	} {
		raw = pack(0, kgo.CodecNone, 1, raw)
		answer := kmsg.NewFetchResponseTopicPartition()
		answer.RecordBatches = raw
		byClient, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{}, &answer, nil, nil)
		if byClient.Err != nil || len(byClient.Records) != 1 {
			t.Fatal(byClient.Err)
		}
		have, want := streamed(t, raw), byClient.Records[0]
		if !reflect.DeepEqual(have.Key, want.Key) || len(have.Headers)+len(want.Headers) > 0 && !reflect.DeepEqual(have.Headers, want.Headers) {
			t.Errorf("record %d: streamed with key %.20q and headers %.20q, and the client has %.20q and %.20q", i, have.Key, have.Headers,
				want.Key, want.Headers)
		}
		if KeyCut(have) || HeadersCut(have) {
			t.Errorf("record %d: cut", i)
		}
	}
}

// TestLongKeysAndHeadersAreCut: what is kept of a key or headers beyond the bounds is beyond them, too, and says that it is not whole. The
// header that says which record this one repeats is kept, and no other is taken for it.
func TestLongKeysAndHeadersAreCut(t *testing.T) {
	source := kgo.RecordHeader{Key: event.HeaderSource, Value: []byte(event.Source{Offset: 7}.String())}
	filler := kgo.RecordHeader{Key: "filler", Value: make([]byte, 100)}
	var many, tiny []kgo.RecordHeader
	for range 2 * MaxHeaderBytes / 100 {
		many = append(many, filler)
	}
	for range MaxHeaderBytes {
		tiny = append(tiny, kgo.RecordHeader{})
	}
	almost := kgo.RecordHeader{Key: "a", Value: make([]byte, MaxHeaderBytes-headerCost-1)}
	like := source
	like.Key += "s"
	for name, headers := range map[string][]kgo.RecordHeader{
		"many":             append(many, source),
		"tiny":             append(tiny, source),
		"a long name":      {{Key: strings.Repeat("n", 10<<20)}, source},
		"a long value":     {{Key: "long", Value: make([]byte, 10<<20)}, source},
		"a name like it":   {almost, {Key: like.Key + strings.Repeat("s", 100), Value: like.Value}, source},
		"after like ones":  {almost, like, like, source, source, filler},
		"a long value too": {almost, {Key: event.HeaderSource, Value: bytes.Repeat([]byte("f"), 300)}, source, filler},
	} {
		r := streamed(t, pack(0, kgo.CodecNone, 1, record(0, bytes.Repeat([]byte("k"), 10<<20), []byte("v"), headers...)))
		if len(r.Key) != MaxKeyBytes+1 || !KeyCut(r) || Length(r) != 1 {
			t.Errorf("%s: a key of %d bytes, cut: %t, a value of %d", name, len(r.Key), KeyCut(r), Length(r))
		}
		if n := HeaderBytes(r.Headers); n <= MaxHeaderBytes || n > MaxHeaderBytes+1000 || !HeadersCut(r) {
			t.Errorf("%s: headers of %d bytes, cut: %t", name, n, HeadersCut(r))
		}
		var sources []string
		for _, h := range r.Headers {
			if h.Key == event.HeaderSource && event.IsSource(h.Value) {
				sources = append(sources, string(h.Value))
			}
		}
		if fmt.Sprint(sources) != fmt.Sprint([]string{string(source.Value)}) {
			t.Errorf("%s: it repeats %q, want %q", name, sources, source.Value)
		}
	}
}
