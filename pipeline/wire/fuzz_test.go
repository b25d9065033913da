package wire

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// appendedTwice checks what holds for all values: what is appended is valid JSON within its bounds, and the same each time.
func appendedTwice(t *testing.T, s *Schema, value []byte) {
	got, err := s.AppendJSON([]byte("x"), value)
	again, errAgain := s.AppendJSON([]byte("x"), value)
	if !bytes.Equal(got, again) || (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
		t.Fatalf("once %s, %v, then %s, %v", got, err, again, errAgain)
	}
	text, ok := bytes.CutPrefix(got, []byte("x"))
	switch {
	case !ok || len(text) > MaxJSON || err != nil && len(text) > 0:
		t.Fatalf("%.100s of %d bytes with %v", got, len(got), err)
	case err == nil && (!jsontext.Value(text).IsValid() || !shallow(text)):
		t.Fatalf("not JSON: %s", text)
	case err != nil && len(err.Error()) > 10_000:
		t.Fatalf("an error of %d bytes", len(err.Error()))
	}
}

func FuzzAvro(f *testing.F) {
	rich := avroEvent(f)
	f.Add(rich.Text, []byte{0})
	for _, v := range valuesOf(f, "avro.jsonl") {
		_, payload, _ := Split(v.Value)
		f.Add("", payload)
	}
	f.Add(list, []byte{2, 2, 0})
	f.Add(`{"type":"map","values":{"type":"array","items":["null",{"type":"bytes","logicalType":"big-decimal"}]}}`,
		[]byte{2, 2, 97, 2, 0, 0, 0})
	event := compiled(f, rich)
	f.Fuzz(func(t *testing.T, schema string, payload []byte) {
		s := event
		if schema != "" {
			var err error
			if s, err = Compile(Source{Kind: Avro, Text: schema, References: rich.References}); err != nil {
				return
			}
		}
		appendedTwice(t, s, append(make([]byte, confluentHeader), payload...))
	})
}

func FuzzProtobuf(f *testing.F) {
	for _, v := range valuesOf(f, "protobuf.jsonl") {
		_, payload, _ := Split(v.Value)
		f.Add(v.Value[0] == glueMagic, payload)
	}
	event := compiled(f, protobufEvent(f))
	f.Fuzz(func(t *testing.T, glue bool, payload []byte) {
		header := make([]byte, confluentHeader)
		if glue {
			header = append([]byte{glueMagic, plain}, make([]byte, 16)...)
		}
		appendedTwice(t, event, append(header, payload...))
	})
}

func FuzzCompile(f *testing.F) {
	avro, protobuf := avroEvent(f), protobufEvent(f)
	f.Add(byte(0), avro.Text, avro.References[0].Text)
	f.Add(byte(1), protobuf.Text, protobuf.References[0].Text)
	f.Add(byte(1), `edition = "2023"; message M { int32 a = 1 [features.field_presence = IMPLICIT]; }`, "")
	f.Add(byte(1), google+`Any a = 1; }`, proto3+`extend google.protobuf.FieldOptions { M m = 1; } message M { extensions 1 to max; }`)
	f.Add(byte(2), `{"type":"object"}`, "")
	f.Fuzz(func(t *testing.T, kind byte, text, reference string) {
		s := Source{Kind: []Kind{Avro, Protobuf, JSON}[kind%3], Text: text, References: []Reference{{"web/old.proto", reference}}}
		if once, twice := s.Hash(), s.Hash(); once != twice {
			t.Fatal("two hashes")
		}
		schema, err := Compile(s)
		_, again := Compile(s)
		if (err == nil) != (again == nil) || err != nil && (err.Error() != again.Error() || len(err.Error()) > 10_000) {
			t.Fatalf("once %v, then %v", err, again)
		}
		if err == nil {
			appendedTwice(t, schema, make([]byte, 40))
		}
	})
}
