package wire

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// fileText is the text of a file in testdata.
func fileText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compiled compiles a source that is valid.
func compiled(t testing.TB, s Source) *Schema {
	t.Helper()
	schema, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func avroEvent(t testing.TB) Source {
	return Source{Kind: Avro, Text: fileText(t, "event.avsc"), References: []Reference{{"web.parts.Page", fileText(t, "page.avsc")}}}
}

func protobufEvent(t testing.TB) Source {
	return Source{Kind: Protobuf, Text: fileText(t, "event.proto"), References: []Reference{{"web/old.proto", fileText(t, "old.proto")}}}
}

// madeElsewhere is a value that Python has encoded, with the JSON that it should become. See testdata/values.py.
type madeElsewhere struct {
	Value []byte          `json:"value"`
	JSON  json.RawMessage `json:"json"`
}

func valuesOf(t testing.TB, name string) (all []madeElsewhere) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one madeElsewhere
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil || len(all) < 20 {
		t.Fatalf("%s has %d values: %v", name, len(all), err)
	}
	return all
}

func TestValuesOfOtherEncoders(t *testing.T) {
	for _, c := range []struct {
		file    string
		source  Source
		ordered bool
	}{
		{"avro.jsonl", avroEvent(t), true},
		{"protobuf.jsonl", protobufEvent(t), false}, // Python has the fields by number, and maps in any order.
	} {
		t.Run(c.file, func(t *testing.T) {
			schema := compiled(t, c.source)
			n := 0
			for i, v := range valuesOf(t, c.file) {
				got, err := schema.AppendJSON([]byte("before"), v.Value)
				if err != nil {
					t.Fatalf("value %d, %s: %v", i, base64.StdEncoding.EncodeToString(v.Value), err)
				}
				got = bytes.TrimPrefix(got, []byte("before"))
				if a, b := normal(t, got, c.ordered), normal(t, v.JSON, c.ordered); a != b {
					t.Fatalf("value %d is\n%s\nwant\n%s", i, a, b)
				}
				n++
			}
			t.Logf("%d values", n)
		})
	}
}

// normal spells JSON in one way: numbers as fractions, and members sorted by name unless their order matters.
func normal(t testing.TB, text []byte, ordered bool) string {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewReader(text))
	var read func() string
	read = func() string {
		token, err := d.ReadToken()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		switch token.Kind() {
		case '0':
			n, ok := new(big.Rat).SetString(token.String())
			if !ok {
				t.Fatalf("number %s", token)
			}
			return n.String()
		case '"':
			return fmt.Sprintf("%q", token.String())
		case '{', '[':
			end := token.Kind() + 2
			var parts []string
			for d.PeekKind() != end {
				part := read()
				if end == '}' {
					part += ":" + read()
				}
				parts = append(parts, part)
			}
			if _, err := d.ReadToken(); err != nil {
				t.Fatal(err)
			}
			if end == '}' && !ordered {
				slices.Sort(parts)
			}
			return token.String() + strings.Join(parts, ",") + string(end)
		}
		return token.String()
	}
	return read()
}

// TestConcurrentUse: one schema serves several goroutines.
func TestConcurrentUse(t *testing.T) {
	schema, values := compiled(t, protobufEvent(t)), valuesOf(t, "protobuf.jsonl")
	var want [][]byte
	for _, v := range values {
		text, err := schema.AppendJSON(nil, v.Value)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, text)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i, v := range values {
				if got, err := schema.AppendJSON(nil, v.Value); err != nil || !bytes.Equal(got, want[i]) {
					t.Errorf("value %d: %s, %v, want %s", i, got, err, want[i])
				}
			}
		})
	}
	all.Wait()
}
