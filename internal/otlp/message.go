package otlp

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/pipeline"
)

// The request of OTLP 1.x in JSON: integers of 64 bits are texts, ids are hexadecimal, enumerations are numbers.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   attributes   `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	attributes struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	span struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		ParentID   string     `json:"parentSpanId,omitempty"`
		Name       string     `json:"name"`
		Kind       int        `json:"kind"`
		Begun      string     `json:"startTimeUnixNano"`
		Ended      string     `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes,omitempty"`
		Status     *status    `json:"status,omitempty"`
	}
	status struct {
		Message string `json:"message"`
		Code    int    `json:"code"`
	}
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
		Bool   *bool   `json:"boolValue,omitempty"`
	}
)

// Values of enumerations.
const (
	kindInternal = 1
	statusError  = 2
)

func text(name, v string) keyValue { return keyValue{name, value{String: &v}} }

func number[N int | int32 | int64](name string, n N) keyValue {
	v := strconv.FormatInt(int64(n), 10)
	return keyValue{name, value{Int: &v}}
}

func truth(name string, v bool) keyValue { return keyValue{name, value{Bool: &v}} }

// parcel is the body of a request.
type parcel struct {
	body  []byte
	spans int
}

// pack makes a parcel of the flushes. Sent twice it has the same ids, by which backends recognise it.
func pack(of []Attribute, flushes []pipeline.Flush) (parcel, error) {
	r := resourceSpans{ScopeSpans: []scopeSpans{{Scope: scope{"github.com/footfall/footfall"}}}}
	for _, a := range of {
		r.Resource.Attributes = append(r.Resource.Attributes, text(a.Name, a.Value))
	}
	for _, f := range flushes {
		r.ScopeSpans[0].Spans = append(r.ScopeSpans[0].Spans, spansOf(f)...)
	}
	body, err := json.Marshal(request{[]resourceSpans{r}})
	return parcel{body, len(r.ScopeSpans[0].Spans)}, err
}

// spanCount is how many spans a flush has.
func spanCount(f pipeline.Flush) int { return 1 + len(f.Phases) }

// spansOf makes a trace of the flush: its span, and one in it for each phase.
func spansOf(f pipeline.Flush) []span {
	trace := newID(16)
	of := func(name string, begun, ended time.Time) span {
		return span{TraceID: trace, SpanID: newID(8), Name: name, Kind: kindInternal, Begun: nanos(begun), Ended: nanos(ended)}
	}
	root := of("flush "+f.Lane, f.Begun, f.Ended)
	root.Attributes = []keyValue{
		text("messaging.system", "kafka"), text("messaging.destination.name", f.Topic),
		text("messaging.destination.partition.id", strconv.Itoa(int(f.Partition))), number("messaging.batch.message_count", f.Records),
		text("footfall.lane", f.Lane), number("footfall.flush", f.Number), number("footfall.from", f.From), number("footfall.to", f.To),
		number("footfall.items", f.Items), number("footfall.bytes", f.Bytes), truth("footfall.repeated", f.Repeated),
	}
	spans := []span{root}
	for _, phase := range f.Phases {
		s := of(phase.Name, phase.Begun, phase.Ended)
		s.ParentID = root.SpanID
		spans = append(spans, s)
	}
	if f.Err != nil {
		failed := &status{fmt.Sprintf("%.1000s", f.Err), statusError}
		spans[0].Status, spans[len(spans)-1].Status = failed, failed
	}
	return spans
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// newID draws an id of that many bytes.
func newID(bytes int) string {
	id := make([]byte, bytes)
	rand.Read(id)
	return hex.EncodeToString(id)
}
