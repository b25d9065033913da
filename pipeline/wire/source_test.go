package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestSourceIsKeptAsJSON(t *testing.T) {
	s := Source{Kind: Protobuf, Text: "text", References: []Reference{{"a.proto", "other"}}}
	text, err := json.Marshal(s)
	const want = `{"kind":"PROTOBUF","text":"text","references":[{"name":"a.proto","text":"other"}]}`
	if err != nil || string(text) != want {
		t.Fatalf("JSON is %s, %v, want %s", text, err, want)
	}
	var back Source
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("back is %+v, %v", back, err)
	}
}

func TestHash(t *testing.T) {
	const ints, message = `{"type":"array","items":"int"}`, "message A { int32 a=1; }"
	a, b := Reference{"a", "1"}, Reference{"b", "2"}
	for _, c := range []struct {
		name string
		x, y Source
		same bool
	}{
		{"order of members, space", Source{Avro, ints, nil}, Source{Avro, `{"items" : "int", "type": "array"}`, nil}, true},
		{"another type", Source{Avro, ints, nil}, Source{Avro, `{"type":"array","items":"long"}`, nil}, false},
		{"order of symbols", Source{Avro, `["int","null"]`, nil}, Source{Avro, `["null","int"]`, nil}, false},
		{"logical type", Source{Avro, `{"type":"bytes"}`, nil}, Source{Avro, `{"type":"bytes","logicalType":"big-decimal"}`, nil}, false},
		{"not JSON", Source{Avro, `{`, nil}, Source{Avro, `{ `, nil}, false},
		{"kind", Source{Avro, `{}`, nil}, Source{JSON, `{}`, nil}, false},
		{"comments", Source{Protobuf, message, nil}, Source{Protobuf, "message A {\n/* x */int32 a = 1; // a\n}\n", nil}, true},
		{"number", Source{Protobuf, message, nil}, Source{Protobuf, "message A { int32 a=2; }", nil}, false},
		{"strings", Source{Protobuf, `import "a b";`, nil}, Source{Protobuf, `import "a  b";`, nil}, false},
		{"order of references", Source{Avro, `"a"`, []Reference{a, b}}, Source{Avro, `"a"`, []Reference{b, a}}, true},
		{"a reference less", Source{Avro, `"a"`, []Reference{a, b}}, Source{Avro, `"a"`, []Reference{a}}, false},
		{"where a name ends", Source{Avro, `"a"`, []Reference{{"ab", "1"}}}, Source{Avro, `"a"`, []Reference{{"a", "b1"}}}, false},
	} {
		if same := c.x.Hash() == c.y.Hash(); same != c.same {
			t.Errorf("%s: the same hash: %v, want %v", c.name, same, c.same)
		}
	}
}

// repeated is a text with parts that have a number each.
func repeated(before, format string, n int, after string) string {
	var text strings.Builder
	text.WriteString(before)
	for i := range n {
		fmt.Fprintf(&text, format, i)
	}
	return text.String() + after
}

func TestCompileRefuses(t *testing.T) {
	const proto = `syntax = "proto3"; `
	var public []Reference
	for i := range 60 {
		public = append(public, Reference{fmt.Sprint(i), repeated(proto, `import public "%d";`, i, "")})
	}
	for _, c := range []struct {
		kind       Kind
		text, want string
		references []Reference
	}{
		{"XML", ``, `schema of kind "XML": not AVRO, PROTOBUF or JSON`, nil},
		{JSON, `{`, `schema: not JSON`, nil},
		{Avro, "\"\xff\"", `schema: not valid UTF-8`, nil},
		{Avro, `"int"`, `schema "a": not valid UTF-8`, []Reference{{"a", "\xff"}}},
		{JSON, strings.Repeat(" ", maxText+1), `at most 1048576`, nil},
		{JSON, `{}`, `201 references, at most 200`, make([]Reference, 201)},
		{JSON, `{}`, `1048577 bytes, at most 1048576`, []Reference{{"a", strings.Repeat(" ", maxText+1)}}},

		{Avro, ``, `EOF`, nil},
		{Avro, `{"type":"int","type":"int"}`, `duplicate`, nil},
		{Avro, `7`, `a type is 7, not a name`, nil},
		{Avro, `{}`, `a type is missing`, nil},
		{Avro, `"Nowhere"`, `type "Nowhere" is not defined`, nil},
		{Avro, `["int",["null"]]`, `a union is directly within a union`, nil},
		{Avro, `["int","string","int"]`, `a union has a type twice`, nil},
		{Avro, `["bytes",{"type":"bytes","logicalType":"decimal","precision":4}]`, `a union has a type twice`, nil},
		{Avro, `["A",{"type":"enum","name":"A","symbols":["a"]}]`, `a union has a type twice`, nil},
		{Avro, `{"type":"array"}`, `a type is missing`, nil},
		{Avro, `{"type":"record","fields":[]}`, `type record has no name`, nil},
		{Avro, `{"type":"record","name":"int","fields":[]}`, `"int" is defined twice`, nil},
		{Avro, `{"type":"record","name":"A"}`, `"A": a record has no list of fields`, nil},
		{Avro, `{"type":"record","name":"A","fields":[{"type":"int"}]}`, `"A": field "" has no name`, nil},
		{Avro, `{"type":"record","name":"A","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}`,
			`field "a" has no name, or one`, nil},
		{Avro, `{"type":"record","name":"A","fields":[{"name":"a","type":{"type":"fixed","name":"a.A","size":-1}}]}`,
			`-1 is not a whole number`, nil},
		{Avro, `{"type":"enum","name":"A","symbols":[7]}`, `symbol 7 is no string`, nil},
		{Avro, `{"type":"enum","name":"A"}`, `an enum has no list of symbols`, nil},
		{Avro, `{"type":"bytes","logicalType":"decimal","precision":1001}`, `precision 1001, at most 1000`, nil},
		{Avro, `"int"`, `avro schema "a": "A" is defined twice`, []Reference{
			{"b", `{"type":"fixed","name":"A","size":1}`}, {"a", `{"type":"fixed","name":"A","size":1}`}}},
		{Avro, strings.Repeat(`{"type":"array","items":`, 9_990) + `"int"` + strings.Repeat(`}`, 9_990), `nested more than 128 deep`, nil},
		{Avro, strings.Repeat(`[`, 1_000_000), `max depth`, nil},
		{Avro, repeated(`["int"`, `,"a%d"`, 90_000, `]`), `type "a0" is not defined`, nil},

		{Protobuf, ``, `it has no message`, nil},
		{Protobuf, `message`, `schema:1:8: syntax error`, nil},
		{Protobuf, proto + `message A { B b = 1; }`, `unknown type B`, nil},
		{Protobuf, proto + `import "b.proto"; message A {}`, `"b.proto" is imported, but not among the references`, nil},
		{Protobuf, proto + `import "schema"; message A {}`, `"schema" imports itself`, nil},
		{Protobuf, proto + `import "a"; message A {}`, `"a" imports itself, or`, []Reference{{"a", `import "b";`}, {"b", `import "a";`}}},
		{Protobuf, proto + `import "59"; message A {}`, `lookups, at most 5000000 are allowed`, public},
		{Protobuf, proto + `message A {}`, `reference "a" is given twice`, []Reference{{"a", ``}, {"a", ``}}},
		{Protobuf, `syntax = "proto2"; message A { optional int32 a_b = 1; optional int32 aB = 2; }`, `JSON name "aB"`, nil},
		{Protobuf, strings.Repeat("message A {", 90_000), `braces are nested more than 32 deep`, nil},
		{Protobuf, proto + `message ` + strings.Repeat("a", 1_000) + `{}`, `names of more than 1000 bytes in one statement`, nil},
		{Protobuf, proto + `package ` + strings.Repeat("a.", 1_000) + `b;`, `names of more than 1000 bytes in one statement`, nil},
		{Protobuf, repeated(proto+`package `+strings.Repeat("a", 900)+`;`, "message A%d {}", 40_000, ""), `full names of more than`, nil},
		{Protobuf, repeated(proto+`message A { reserved "a"`, `,"a%d"`, 90_000, `;}`), `90002 strings`, nil},
		{Protobuf, repeated(proto+`message A {`, `optional int32 a%d = 1;`, 30_000, `}`), `30000 optional fields`, nil},
		{Protobuf, repeated(proto+`enum E {`, `A%d = 1;`, 70_000, `}`), `140002 names or numbers`, nil},
	} {
		_, err := Compile(Source{c.kind, c.text, c.references})
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
			t.Errorf("%s %.100s: %v, want %s", c.kind, c.text, err, c.want)
		}
	}
}

// TestPanicOfTheParserIsAnError: it has one for an escape that is not UTF-8 at the beginning.
func TestPanicOfTheParserIsAnError(t *testing.T) {
	files := protoFiles{byPath: make(map[string]*protoFile)}
	if err := files.parse("a", "\"\\\xf9"); err == nil || !strings.HasPrefix(err.Error(), "it cannot be parsed: ") {
		t.Errorf("parse = %v", err)
	}
}

// TestLongNamesAreTaken: the full names of what is beside each other do not add up.
func TestLongNamesAreTaken(t *testing.T) {
	message := "message " + strings.Repeat("a", 400) + "%d { int32 a = 1 [deprecated = true]; }"
	compiled(t, Source{Kind: Protobuf, Text: repeated(proto3, message, 1_000, "")})
}
