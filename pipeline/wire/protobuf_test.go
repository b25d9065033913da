package wire

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
)

// encoded encodes the first message of a schema as Google's package does.
func encoded(t *testing.T, schema, text string) []byte {
	t.Helper()
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{
			"a.proto": schema, "confluent/type/decimal.proto": fileText(t, "../builtin/confluent/type/decimal.proto")}),
	})}
	files, err := c.Compile(context.Background(), "a.proto")
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(files[0].Messages().Get(0))
	if err := (prototext.UnmarshalOptions{AllowPartial: true}).Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	b, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	proto2 = `syntax = "proto2"; `
	proto3 = `syntax = "proto3"; `
	google = proto3 + `import "google/protobuf/any.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/empty.proto";
		import "google/protobuf/field_mask.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto";
		import "google/protobuf/wrappers.proto"; import "confluent/type/decimal.proto"; message M { google.protobuf.`
)

func TestProtobuf(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{proto3 + `message M { int32 b = 2; int32 a_snake = 1; string c = 3 [json_name = "@c"]; }`, `a_snake: 1 b: 2 c: "x"`,
			`{"b":2,"aSnake":1,"@c":"x"}`},
		{proto3 + `message M { int32 a = 1; string b = 2; bytes c = 3; bool d = 4; double e = 5; repeated int32 f = 6; }`, ``, `{}`},
		{proto3 + `message M { optional int32 a = 1; optional string b = 2; M c = 3; }`, `a: 0 b: "" c: {}`, `{"a":0,"b":"","c":{}}`},
		{proto3 + `message M { double a = 1; float b = 2; double c = 3; float d = 4; }`, `a: -0.0 b: nan c: inf d: -inf`,
			`{"a":-0,"b":"NaN","c":"Infinity","d":"-Infinity"}`},
		{proto3 + `message M { int64 a = 1; uint64 b = 2; sint32 c = 3; sint64 d = 4; sfixed32 e = 5; fixed64 f = 6; }`,
			`a: -9223372036854775808 b: 18446744073709551615 c: -2147483648 d: -1 e: -1 f: 18446744073709551615`,
			`{"a":-9223372036854775808,"b":18446744073709551615,"c":-2147483648,"d":-1,"e":-1,"f":18446744073709551615}`},
		{proto3 + `message M { E a = 1; E b = 2; repeated E c = 3; optional E d = 4; }
			enum E { option allow_alias = true; Z = 0; A = 1; B = 1; }`,
			`a: B b: 7 c: Z c: 9 d: Z`, `{"a":"A","b":7,"c":["Z",9],"d":"Z"}`},
		{proto3 + `message M { repeated int32 a = 1; repeated int32 b = 2 [packed = false]; repeated M c = 3; repeated string d = 4; }`,
			`a: [1, 0, -1] b: [1, 0] c: {} c: {a: 7} d: ["x", ""]`, `{"a":[1,0,-1],"b":[1,0],"c":[{},{"a":[7]}],"d":["x",""]}`},
		{proto3 + `message M { map<string, int32> a = 1; map<int64, M> b = 2; map<bool, E> c = 3; } enum E { Z = 0; O = 1; }`,
			`a { key: "y" value: 1 } a { key: "" } b { key: -2 } c { key: true value: O } c { key: false }`,
			`{"a":{"":0,"y":1},"b":{"-2":{}},"c":{"false":"Z","true":"O"}}`},
		{proto3 + `message M { oneof o { int32 a = 1; string b = 2; M c = 3; } }`, `a: 0`, `{"a":0}`},
		{proto3 + `message M { oneof o { int32 a = 1; string b = 2; M c = 3; } }`, `c: { b: "" }`, `{"c":{"b":""}}`},
		{proto2 + `message M { optional int32 a = 1 [default = 7]; optional E b = 2; required string c = 3; repeated sint32 d = 4; }
			enum E { X = 5; }`, `d: -1 d: 1`, `{"d":[-1,1]}`},
		{proto2 + `message M { optional int32 a = 1 [default = 7]; repeated group G = 2 { optional M m = 1; } optional group H = 9 {} }`,
			`a: 0 G { } G { m { a: 1 } } H { }`, `{"a":0,"g":[{},{"m":{"a":1}}],"h":{}}`},
		{`edition = "2023"; message M { int32 a = 1; int32 b = 2 [features.field_presence = IMPLICIT];
			M c = 3 [features.message_encoding = DELIMITED]; repeated int32 d = 4 [features.repeated_field_encoding = EXPANDED]; }`,
			`a: 0 c { c { a: 1 } } d: 1 d: 2`, `{"a":0,"c":{"c":{"a":1}},"d":[1,2]}`},

		{google + `Timestamp a = 1; }`, `a { seconds: 1 nanos: 20000000 }`, `{"a":"1970-01-01T00:00:01.020Z"}`},
		{google + `Timestamp a = 1; }`, `a { seconds: -62135596800 nanos: 1 }`, `{"a":"0001-01-01T00:00:00.000000001Z"}`},
		{google + `Timestamp a = 1; }`, `a { seconds: 253402300799 nanos: 999999000 }`, `{"a":"9999-12-31T23:59:59.999999Z"}`},
		{google + `Timestamp a = 1; }`, `a { }`, `{"a":"1970-01-01T00:00:00Z"}`},
		{google + `Duration a = 1; }`, `a { seconds: -1 nanos: -500000000 }`, `{"a":"-1.500s"}`},
		{google + `Duration a = 1; }`, `a { nanos: -1 }`, `{"a":"-0.000000001s"}`},
		{google + `Duration a = 1; }`, `a { }`, `{"a":"0s"}`},
		{google + `FieldMask a = 1; }`, `a { paths: "a_b.c" paths: "d" }`, `{"a":"aB.c,d"}`},
		{google + `Empty a = 1; }`, `a { }`, `{"a":{}}`},
		{google + `Any a = 1; }`, `a { type_url: "t/x" value: "\x01" }`, `{"a":{"@type":"t/x","value":"AQ=="}}`},
		{google + `Int64Value a = 1; google.protobuf.StringValue b = 2; google.protobuf.BytesValue c = 3; google.protobuf.BoolValue d = 4; }`,
			`a { value: 9007199254740993 } b { } c { } d { }`, `{"a":9007199254740993,"b":"","c":"","d":false}`},
		{google + `Struct a = 1; }`, `a { fields { key: "x" value { number_value: 1 } } fields { key: "y" value { struct_value { } } }
			fields { key: "z" value { list_value { values { null_value: NULL_VALUE } values { bool_value: false } values { } } } } }`,
			`{"a":{"x":1,"y":{},"z":[null,false,null]}}`},
		{google + `ListValue a = 1; google.protobuf.NullValue b = 2; google.protobuf.Value c = 3; google.protobuf.Value d = 4; }`,
			`a { } c { string_value: "" } d { }`, `{"a":[],"c":"","d":null}`},
		{proto3 + `import "confluent/type/decimal.proto"; message M { confluent.type.Decimal a = 1; confluent.type.Decimal b = 2; }`,
			`a { value: "\x04\xd2" precision: 4 scale: 2 } b { scale: 1 }`, `{"a":12.34,"b":0.0}`},
		{proto3 + `package google.protobuf; message M { Timestamp a = 1; } message Timestamp { string text = 1; }`, `a { text: "x" }`,
			`{"a":{"text":"x"}}`},
	} {
		value := append(unhex(t, confluent+"00"), encoded(t, c.schema, c.value)...)
		got, err := compiled(t, Source{Kind: Protobuf, Text: c.schema}).AppendJSON(nil, value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n%s = %s, %v, want %s", c.schema, c.value, got, err, c.want)
		}
	}
}

// TestProtobufBytes: what encoders seldom write.
func TestProtobufBytes(t *testing.T) {
	const ints = proto3 + `message M { repeated int32 a = 1; int32 b = 2; M m = 3; }`
	const bools = proto3 + `message M { bool a = 1; uint32 b = 2; sint32 c = 3; }`
	const extended = proto2 + `message M { extensions 5; optional int32 a = 1; } extend M { optional int32 x = 5; }`
	const maps = proto3 + `message M { map<string, M> a = 1; map<int32, E> b = 2; E c = 3; } enum E { Z = 0; }`
	const enums = proto2 + `message M { map<int32, E> b = 2; } enum E { X = 5; }`
	for _, c := range []struct{ schema, value, want string }{
		{ints, "10 02 0a 02 01 02 08 03 0a 00", `{"a":[1,2,3],"b":2}`}, // Out of order, and both packed and not.
		{ints, "0a 00", `{}`},
		{ints, "10 00", `{}`},
		{ints, "10 808080808000 08 ffffffff0f", `{"a":[-1]}`},
		{ints, "78 01 7d 01020304 79 0102030405060708 7a 01 00 7b 78 01 7c 10 01", `{"b":1}`}, // Unknown fields.
		{bools, "08 02 10 8180808010 18 8180808010", `{"a":true,"b":1,"c":-1}`},
		{bools, "08 00 10 8080808010 18 8080808010", `{}`},
		{maps, "0a 00 12 00", `{"a":{"":{}},"b":{"0":"Z"}}`},
		{maps, "0a 05 12 00 0a 01 78", `{"a":{"x":{}}}`}, // The value before its key.
		{enums, "12 02 08 01", `{"b":{"1":"X"}}`},
		{extended, "08 01 28 02", `{"a":1}`},
		{google + `Timestamp a = 1; google.protobuf.Duration b = 2; }`, "0a 06 10 8188808010 12 06 10 8188808010",
			`{"a":"1970-01-01T00:00:00.000001025Z","b":"0.000001025s"}`},
	} {
		got, err := compiled(t, Source{Kind: Protobuf, Text: c.schema}).AppendJSON(nil, unhex(t, confluent+"00"+c.value))
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n%s = %s, %v, want %s", c.schema, c.value, got, err, c.want)
		}
	}
}

func TestProtobufRefuses(t *testing.T) {
	const all = proto3 + `message M { int32 a = 1; string s = 2; M m = 3; repeated M list = 4; map<string, int32> map = 5;
		oneof o { int32 x = 6; int32 y = 7; } repeated int32 ints = 8; repeated double d = 9; }`
	const known = google + `Timestamp t = 1; google.protobuf.Duration d = 2; google.protobuf.Value v = 3; google.protobuf.FieldMask m = 4;
		confluent.type.Decimal n = 5; google.protobuf.ListValue l = 6; }`
	inner := ""
	for range 80 { // Messages within each other, by the lengths that follow.
		inner = "1a" + hexLength(len(inner)/2) + inner
	}
	for _, c := range []struct{ schema, value, want string }{
		{all, "08", `field 1: unexpected EOF`},
		{all, "08 8080808080808080808001", `field 1: variable length integer overflow`},
		{all, "00 00", `a field's tag is not valid`},
		{all, "80", `a field's tag is not valid`},
		{all, "0c", `field 1: mismatching end group marker`},
		{all, "0f 00", `field 1: cannot parse reserved wire type`},
		{all, "7b 78 01", `field 15: unexpected EOF`},
		{all, "7b 84 01", `field 15: mismatching end group marker`},
		{all, "12 02 61", `field 2: unexpected EOF`},
		{all, "12 ffffffffffffffffff01", `field 2: unexpected EOF`},
		{all, "12 01 ff", `s: text is not valid UTF-8`},
		{all, "0d 00000000", `a: wire type 5 is not the field's`},
		{all, "20 01", `list: wire type 0 is not the field's`},
		{all, "0a 01 01", `a: wire type 2 is not the field's`},
		{all, "08 01 10 01 08 02", `s: wire type 0`},
		{all, "08 01 12 00 08 01", `a: it, or a field of the same oneof, is there twice`},
		{all, "38 01 30 01", `y: it, or a field of the same oneof, is there twice`},
		{all, "1a 00 1a 00", `m: it, or a field of the same oneof, is there twice`},
		{all, "2a 03 0a 01 61 2a 03 0a 01 61", `map."a": the map has this key twice`},
		{all, "2a 04 0a 00 0a 00", `map.key: it, or a field`},
		{all, "22 00 22 02 1a 01", `list[1].field 3: unexpected EOF`},
		{all, "22 00 22 04 1a 02 08 80", `list[1].m.field 1: unexpected EOF`},
		{all, "42 02 01 80", `ints[0]: unexpected EOF`},
		{all, "4a 0c 000000000000000000000000", `d[0]: unexpected EOF`},
		{all, inner, `m.m.m: nested more than 64 deep`},
		{known, "0a 0b 10 ffffffffffffffffff01", `t: a Timestamp that is not from the year 1 to 9999: 0 seconds and -1 nanoseconds`},
		{known, "0a 07 08 8083d1ffaf07", `t: a Timestamp that is not from the year 1 to 9999: 253`},
		{known, "12 0d 08 01 10 ffffffffffffffffff01", `d: a Duration out of range, or with two signs: 1 seconds and -1 nanoseconds`},
		{known, "1a 09 11 000000000000f87f", `v: a number of a Value is not finite`},
		{known, "22 03 0a 01 41", `m: a path of a FieldMask has no spelling in JSON`},
		{known, "22 04 0a 02 615f", `m: a path of a FieldMask has no spelling in JSON`},
		{known, "2a 03 18 e907", `n: a decimal with scale 1001`},
	} {
		_, err := compiled(t, Source{Kind: Protobuf, Text: c.schema}).AppendJSON(nil, unhex(t, confluent+"00"+c.value))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s %s: %v, want %s", c.schema, c.value, err, c.want)
		}
	}
}

// TestNestedListsOfStructs: the depth of a Value is the depth of its JSON.
func TestNestedListsOfStructs(t *testing.T) {
	s := compiled(t, Source{Kind: Protobuf, Text: google + `ListValue a = 1; }`})
	for depth := 1; depth < 80; depth++ {
		inner := ""
		for range depth - 1 { // A Value with a list_value, in the values of the list around it.
			inner = "32" + hexLength(len(inner)/2) + inner
			inner = "0a" + hexLength(len(inner)/2) + inner
		}
		got, err := s.AppendJSON(nil, unhex(t, confluent+"00 0a"+hexLength(len(inner)/2)+inner))
		want := `{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
		if depth < maxDepth && (err != nil || string(got) != want) || depth >= maxDepth && err == nil {
			t.Errorf("%d lists: %s, %v", depth, got, err)
		}
	}
}

// TestProtobufOutputIsBounded: the text of a payload that is allowed may be too long.
func TestProtobufOutputIsBounded(t *testing.T) {
	s := compiled(t, Source{Kind: Protobuf, Text: proto3 + `message M { string s = 1; repeated bool b = 2; repeated M m = 3; }`})
	text := func(n int) []byte {
		return append(protowire.AppendVarint(unhex(t, confluent+"00 0a"), uint64(n)), strings.Repeat("a", n)...)
	}
	most := MaxJSON - len(`{"s":""}`)
	if got, err := s.AppendJSON(nil, text(most)); err != nil || len(got) != MaxJSON {
		t.Errorf("the longest text is %d bytes of JSON, %v", len(got), err)
	}
	packed := append(protowire.AppendVarint(unhex(t, confluent+"00 12"), 300_000), make([]byte, 300_000)...)
	for _, value := range [][]byte{text(most + 1), packed, append(unhex(t, confluent+"00"), bytes.Repeat([]byte{0x1a, 0}, 400_000)...)} {
		if _, err := s.AppendJSON(nil, value); err == nil || !strings.HasSuffix(err.Error(), whyTooLong) {
			t.Errorf("%.20x: %v", value, err)
		}
	}
}

// hexLength is a varint of up to 14 bits as hexadecimal digits.
func hexLength(n int) string {
	const digits = "0123456789abcdef"
	b := []byte{byte(n)}
	if n >= 0x80 {
		b = []byte{byte(n) | 0x80, byte(n >> 7)}
	}
	var text []byte
	for _, b := range b {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

// TestMessageIndexes: which of several messages a value is, as Confluent's and Glue's serializers say it.
func TestMessageIndexes(t *testing.T) {
	const schema = proto2 + `message B { optional int32 b = 1; map<string, int32> m = 2; optional group G = 3 {}
		message C { optional int32 c = 1; }
		message A { optional int32 ba = 1; message D { optional int32 d = 1; } } } message A { optional int32 a = 1; }`
	// Glue sorts A, B, B.A, B.A.D, B.C, B.G, B.MEntry.
	glue := "03 00" + strings.ReplaceAll(uuidText, "-", "")
	s := compiled(t, Source{Kind: Protobuf, Text: schema})
	for _, c := range []struct{ header, want, fail string }{
		{confluent + "00", `{"b":1}`, ""},
		{confluent + "02 00", `{"b":1}`, ""},
		{confluent + "02 02", `{"a":1}`, ""},
		{confluent + "04 00 00", `{"c":1}`, ""},
		{confluent + "04 00 02", `{"ba":1}`, ""},
		{confluent + "06 00 02 00", `{"d":1}`, ""},
		{confluent + "04 00 04", "", "no message with index 2"},
		{confluent + "02 01", "", "no message with index -1"},
		{confluent + "01", "", "a path of -1 indexes"},
		{confluent + "feffffff0f", "", "a path of 2147483647 indexes"},
		{confluent + "ffffffffffffffffffff", "", "the message index"},
		{glue + "00", `{"a":1}`, ""},
		{glue + "01", `{"b":1}`, ""},
		{glue + "02", `{"ba":1}`, ""},
		{glue + "03", `{"d":1}`, ""},
		{glue + "04", `{"c":1}`, ""},
		{glue + "07", "", "no message with index 7"},
		{glue + "ffffffffffffffffff01", "", "no message with index"},
	} {
		got, err := s.AppendJSON(nil, unhex(t, c.header+"08 01"))
		if c.fail == "" && (err != nil || string(got) != c.want) || c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
			t.Errorf("%s: %s, %v, want %s%s", c.header, got, err, c.want, c.fail)
		}
	}
	if _, err := s.AppendJSON(nil, unhex(t, confluent)); err == nil {
		t.Error("a value without indexes is read")
	}
}

// TestImports: references are found by the path of the import, and what registries know needs none.
func TestImports(t *testing.T) {
	s := compiled(t, Source{Kind: Protobuf, Text: proto3 + `import "a/b.proto"; import "confluent/meta.proto"; import "google/type/date.proto";
		message M { option (confluent.message_meta).doc = "text"; b.T b = 1; google.type.Date d = 2; c.U c = 3; }`, References: []Reference{
		{"a/b.proto", proto3 + `package b; import public "c.proto"; message T { string t = 1; }`},
		{"c.proto", proto3 + `package c; message U {}`},
		{"confluent/meta.proto", proto3 + `message Another {}`},
	}})
	got, err := s.AppendJSON(nil, unhex(t, confluent+"00 0a 03 0a 01 78 12 02 18 02 1a 00"))
	if want := `{"b":{"t":"x"},"d":{"day":2},"c":{}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// TestManyFieldsAreFound: numbers beyond the dense table, in any order.
func TestManyFieldsAreFound(t *testing.T) {
	s := compiled(t, Source{Kind: Protobuf, Text: repeated(proto3+`message M { int32 z = 536870911;`, ` int32 a%[1]d = 1%03[1]d;`, 900, `}`)})
	value := unhex(t, confluent+"00")
	for i := range 900 {
		tag := uint64(1000+i) << 3
		value = append(value, byte(tag)|0x80, byte(tag>>7), 1)
	}
	got, err := s.AppendJSON(nil, append(value, unhex(t, "f8ffffff0f 07")...))
	if want := repeated(`{"z":7`, `,"a%d":1`, 900, `}`); err != nil || string(got) != want {
		t.Errorf("got %.200s, %v, want %.200s", got, err, want)
	}
}
