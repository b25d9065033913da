package pipeline_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/registry"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

var encodedDir = flag.String("encoded", "testdata/encoded",
	"directory with the values that TestEncodersCountAsJSON reads; testdata/encoded/encode.py writes them")

// encoders are the schemas that the encoded values name, by how the names of their files begin.
type encoders map[string]encoder

type encoder struct {
	id     wire.ID
	source wire.Source
}

func newEncoders(t *testing.T) encoders {
	t.Helper()
	text := func(name string) string {
		b, err := os.ReadFile("testdata/encoded/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return encoders{
		"avro":       {wire.Confluent(1), wire.Source{Kind: wire.Avro, Text: text("event.avsc")}},
		"protobuf":   {wire.Confluent(2), wire.Source{Kind: wire.Protobuf, Text: text("event.proto")}},
		"jsonschema": {wire.Confluent(3), wire.Source{Kind: wire.JSON, Text: `{"type": "object"}`}},
	}
}

// Schema implements the registry of a pipeline.
func (e encoders) Schema(_ context.Context, id wire.ID) (wire.Source, error) {
	for _, one := range e {
		if one.id == id {
			return one.source, nil
		}
	}
	return wire.Source{}, registry.ErrUnknown
}

// encodedValues reads a file that has values one after another, each after its length.
func encodedValues(t *testing.T, name string) (records []record) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewReader(z); ; {
		var length uint32
		err := binary.Read(in, binary.BigEndian, &length)
		if errors.Is(err, io.EOF) {
			return records
		}
		value := make([]byte, length)
		if err == nil {
			_, err = io.ReadFull(in, value)
		}
		if err != nil {
			t.Fatal(err)
		}
		n := len(records)
		records = append(records, record{Partition: int32(n % 2), Key: "k", Value: value,
			At: bubbleStart.Add(time.Duration(n) * 1500 * time.Millisecond)})
	}
}

// countedItems counts records and returns the items of the table, raw events one by one. r is nil for values that are JSON.
func countedItems(t *testing.T, records []record, r encoders) (rows map[string]string, sum checkpoint.Totals) {
	sum.Rejected = make(map[event.Reason]int64)
	inWorld(t, 2, func(t *testing.T, w *world) {
		s := newSpy(w.Table)
		o := mapped(w.World, s, "")
		if r != nil {
			o.Settings.Maps = checkpoint.Maps{{Map: mapping.Config{Input: mapping.InputRegistry}.Canonical()}}
			o.Registry = r
		}
		w.Produce(records...)
		run := w.Start(o)
		w.Settled()
		run.Drain()
		w.Recounted()
		rows = w.unpacked(s.list())
		for p := range int32(2) {
			totals := w.Checkpoint(sinks.TP{Topic: 1, Partition: p}, checkpoint.LaneStats).Totals
			sum.Counted += totals.Counted
			sum.Duplicate += totals.Duplicate
			for reason, n := range totals.Rejected {
				sum.Rejected[reason] += n
			}
		}
	})
	return rows, sum
}

// unpacked is rows without schemas, and with the events of packs in place of the packs, which end where flushes do.
func (w *world) unpacked(pks []string) map[string]string {
	rows := w.rows(pks)
	maps.DeleteFunc(rows, func(key, _ string) bool { return strings.HasPrefix(key, "PIPELINE SCHEMA#") })
	for _, pk := range pks {
		for _, it := range w.Query(pk, sinks.PackPrefix) {
			delete(rows, it.Key().PK+" "+it.Key().SK)
			p, err := new(pack.Decoder).Read(it)
			if err != nil {
				w.T.Fatal(err)
			}
			for _, one := range p.Items() {
				w.row(one, rows, nil, nil)
			}
		}
	}
	return rows
}

// TestEncodersCountAsJSON: events that encoders of other languages have made make the same items as they do in JSON.
func TestEncodersCountAsJSON(t *testing.T) {
	t.Parallel()
	events := encodedValues(t, filepath.Join(*encodedDir, "events.gz"))
	want, totals := countedItems(t, events, nil)
	raw := int64(0)
	for key := range want {
		if strings.Contains(key, " "+sinks.EventPrefix) {
			raw++
		}
	}
	if raw != totals.Counted || raw == 0 || totals.Duplicate == 0 || totals.Rejected[event.MissingSite] == 0 ||
		totals.Records() != int64(len(events)) {
		t.Fatalf("of %d events %d are kept; %+v", len(events), raw, totals)
	}
	encoded := map[string][]record{"jsonschema": testpipeline.Framed(encodedValues(t, filepath.Join(*encodedDir, "events.gz")), 3)}
	for _, kind := range []string{"avro", "protobuf"} {
		files, err := filepath.Glob(filepath.Join(*encodedDir, kind+".*.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no values in %s: %v", *encodedDir, kind, err)
		}
		for _, name := range files {
			encoded[strings.TrimSuffix(filepath.Base(name), ".gz")] = encodedValues(t, name)
		}
	}
	for name, records := range encoded {
		t.Run(name, func(t *testing.T) {
			r := newEncoders(t)
			for i := range records {
				kind, _, _ := strings.Cut(name, ".")
				if id, _, ok := wire.Split(records[i].Value); !ok || id != r[kind].id {
					t.Fatalf("value %d begins with % x", i, records[i].Value[:5])
				}
			}
			got, have := countedItems(t, records, r)
			compare(t, got, want)
			t.Logf("%d records make %d items; %+v", len(records), len(got), have)
		})
	}
}
