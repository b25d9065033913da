package wire

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// confluent is the header of a value with schema 7, in hexadecimal digits.
const confluent = "00 00000007"

// list is the schema of a list that ends or goes on.
const list = `{"type":"record","name":"L","fields":[{"name":"l","type":["null","L"]}]}`

func TestAvro(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`"null"`, "", `null`},
		{`"boolean"`, "01", `true`},
		{`{"type":"int"}`, "ffffffff0f", `-2147483648`},
		{`"long"`, "ffffffffffffffffff01", `-9223372036854775808`},
		{`"long"`, "8000", `0`}, // Longer than it needs to be.
		{`"float"`, "cdcccc3d", `0.1`},
		{`"float"`, "0000c07f", `null`},
		{`"double"`, "000000000000f07f", `null`},
		{`"double"`, "9a9999999999b93f", `0.1`},
		{`"double"`, "d3a1055df21d554a", `1.2345e+50`},
		{`"double"`, "0000000000000080", `-0`},
		{`"double"`, "48afbc9af2d77a3e", `1e-7`},
		{`"bytes"`, "0600ff10", `"AP8Q"`},
		{`"string"`, "0a c3a9 22 0a 00", `"é\"\n\u0000"`},
		{`{"type":"fixed","name":"F","size":2}`, "0102", `"AQI="`},
		{`{"type":"fixed","name":"F","size":0}`, "", `""`},
		{`{"type":"enum","name":"E","symbols":["A","B"]}`, "02", `"B"`},
		{`["null","string",{"type":"array","items":"int"}]`, "00", `null`},
		{`["null","string",{"type":"array","items":"int"}]`, "02 02 61", `"a"`},
		{`["null","string",{"type":"array","items":"int"}]`, "04 02 02 00", `[1]`},
		{`{"type":"array","items":"int"}`, "00", `[]`},
		{`{"type":"array","items":"int"}`, "04 02 04 02 06 00", `[1,2,3]`},
		{`{"type":"array","items":"int"}`, "03 04 02 04 02 06 00", `[1,2,3]`}, // The first block says that it has 2 bytes.
		{`{"type":"array","items":"null"}`, "06 00", `[null,null,null]`},
		{`{"type":"map","values":"int"}`, "04 02 62 02 02 61 04 01 06 02 63 06 00", `{"b":1,"a":2,"c":3}`},
		{`{"type":"map","values":{"type":"map","values":"null"}}`, "02 02 61 02 02 61 00 00", `{"a":{"a":null}}`},
		{`{"type":"record","name":"R","fields":[]}`, "", `{}`},
		{`{"type":"error","name":"R","fields":[{"name":"b","type":"int"},{"name":"a","type":"int"}]}`, "02 04", `{"b":1,"a":2}`},
		{list, "02 02 00", `{"l":{"l":{"l":null}}}`},
		{`{"type":"record","name":"a.R","fields":[{"name":"x","type":{"type":"record","name":"b.S","fields":[{"name":"t",
			"type":{"type":"fixed","name":"T","size":1}}]}},{"name":"y","type":"b.T"},{"name":"z","type":["null","R"]}]}`,
			"01 02 00", `{"x":{"t":"AQ=="},"y":"Ag==","z":null}`},
		{`{"type":"record","name":"R","namespace":"a","fields":[{"name":"x","type":"Later"},{"name":"y",
			"type":{"type":"enum","name":"Later","symbols":["A","B"]}}]}`, "02 00", `{"x":"B","y":"A"}`},
		{`{"type":"record","name":"R","namespace":"a","fields":[{"name":"x","type":"Later"},{"name":"y",
			"type":{"type":"fixed","name":"Later","namespace":"","size":1}}]}`, "01 02", `{"x":"AQ==","y":"Ag=="}`},

		{`{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, "04 04d2", `12.34`},
		{`{"type":"fixed","name":"F","size":417,"logicalType":"decimal","precision":9}`, strings.Repeat("ff", 417), `-1`},
		{`{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, "02 ff", `-0.01`},
		{`{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, "04 0000", `0.00`},
		{`{"type":"bytes","logicalType":"decimal","precision":9}`, "02 80", `-128`},
		{`{"type":"bytes","logicalType":"decimal","precision":40,"scale":1}`, "14 80000000000000000000", `-60446290980731458735308.8`},
		{`{"type":"fixed","name":"D","size":12,"logicalType":"decimal","precision":20,"scale":3}`, "fffffffffffffffffffffc18", `-1.000`},
		{`{"type":"bytes","logicalType":"decimal","precision":2,"scale":3}`, "02 01", `"AQ=="`}, // Not valid, so ignored.
		{`{"type":"bytes","logicalType":"decimal"}`, "02 01", `"AQ=="`},
		{`{"type":"bytes","logicalType":"big-decimal"}`, "08 04 04d2 04", `12.34`},
		{`{"type":"bytes","logicalType":"big-decimal"}`, "06 02 07 03", `700`},
		{`{"type":"bytes","logicalType":"big-decimal"}`, "06 02 00 03", `0`},
		{`{"type":"string","logicalType":"uuid"}`, "48" + hex.EncodeToString([]byte(uuidText)), `"` + uuidText + `"`},
		{`{"type":"fixed","name":"U","size":16,"logicalType":"uuid"}`, strings.ReplaceAll(uuidText, "-", ""), `"` + uuidText + `"`},
		{`{"type":"fixed","name":"P","size":12,"logicalType":"duration"}`, "010000000200000003000000", `"AQAAAAIAAAADAAAA"`},
		{`{"type":"long","logicalType":"timestamp-nanos"}`, "8080a0c5dacdfaa131", `1774969344000000000`},
		{`{"type":"int","logicalType":"date"}`, "02", `1`},
		{`{"type":"long","logicalType":"no such type"}`, "02", `1`},
	} {
		got, err := compiled(t, Source{Kind: Avro, Text: c.schema}).AppendJSON(nil, unhex(t, confluent+c.value))
		if err != nil || string(got) != c.want {
			t.Errorf("%s %s = %s, %v, want %s", c.schema, c.value, got, err, c.want)
		}
	}
}

func TestAvroRefuses(t *testing.T) {
	const record = `{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"array","items":
		{"type":"map","values":{"type":"record","name":"S","fields":[{"name":"b","type":"string"}]}}}}]}`
	nulls := hex.EncodeToString([]byte{0xd2, 0x0f}) // 1001
	for _, c := range []struct{ schema, value, want string }{
		{`"int"`, "", `ends too early`},
		{`"int"`, "8080808010", `an int has more than 32 bits`},
		{`"long"`, "80808080808080808080", `runs on or is too large`},
		{`"long"`, "8080808080808080808080", `runs on or is too large`},
		{`"long"`, "0202", `1 bytes are left after the value`},
		{`"boolean"`, "02", `a boolean is neither 0 nor 1`},
		{`"float"`, "000000", `4 bytes are wanted, 3 are left`},
		{`"string"`, "0461", `2 bytes are wanted, 1 are left`},
		{`"string"`, "01", `a length is negative`},
		{`"string"`, "feffffffffffffffff01", `9223372036854775807 bytes are wanted`},
		{`"string"`, "02ff", `text is not valid UTF-8`},
		{`"string"`, "06eda080", `text is not valid UTF-8`},
		{`{"type":"fixed","name":"F","size":2147483647}`, "01", `2147483647 bytes are wanted, 1 are left`},
		{`{"type":"enum","name":"E","symbols":["A"]}`, "02", `the enum has no symbol 1`},
		{`{"type":"enum","name":"E","symbols":["A"]}`, "01", `the enum has no symbol -1`},
		{`["null"]`, "02", `the union has no branch 1`},
		{`[]`, "00", `the union has no branch 0`},
		{`{"type":"array","items":"int"}`, "03 06 02 04 00", `[2]: a block is not as long as it says`},
		{`{"type":"array","items":"int"}`, "03 02 02 04 00", `[2]: a block is not as long as it says`},
		{`{"type":"array","items":"int"}`, "ffffffffffffffffff01 02 02", `a block of`},
		{`{"type":"array","items":"int"}`, "01 01 02", `a block of -1 bytes`},
		{`{"type":"array","items":"int"}`, "feffffffffffffffff01 02", `[1]: ends too early`},
		{`{"type":"array","items":"null"}`, nulls + "00", `[1000]: more than 1000 items of arrays have no bytes`},
		{`{"type":"array","items":{"type":"record","name":"R","fields":[]}}`, "feffffffffffffffff01", `items of arrays have no bytes`},
		{`{"type":"array","items":{"type":"array","items":"null"}}`, "04 d00f 00 02 00", `[1][0]: more than 1000 items`},
		{`{"type":"map","values":"int"}`, "04 02 61 02 02 61 04 00", `["a"]: the map has this key twice`},
		{`{"type":"map","values":"int"}`, "02 02 61 02 02 02 61 04 00", `["a"]: the map has this key twice`},
		{`{"type":"map","values":"int"}`, "02 02 ff 02 00", `text is not valid UTF-8`},
		{`{"type":"map","values":"int"}`, "01 08 02 61 02 00", `a block is not as long as it says`},
		{record, "02 02 02 78 02 ff", `a[0]["x"].b: text is not valid UTF-8`},
		{list, strings.Repeat("02", 64) + "00", strings.Repeat("l.", 63) + `l: nested more than 64 deep`},
		{`{"type":"bytes","logicalType":"decimal","precision":9}`, "00", `a decimal of 0 bytes`},
		{`{"type":"fixed","name":"F","size":417,"logicalType":"decimal","precision":9}`, strings.Repeat("01", 417), `a decimal of 417 bytes`},
		{`{"type":"bytes","logicalType":"big-decimal"}`, "0c 02 07 80808001", `a big-decimal with scale 1048576`},
		{`{"type":"bytes","logicalType":"big-decimal"}`, "08 02 07 d20f", `a big-decimal with scale 1001`},
		{`{"type":"bytes","logicalType":"big-decimal"}`, "08 02 07 02 00", `and 1 bytes left`},
	} {
		_, err := compiled(t, Source{Kind: Avro, Text: c.schema}).AppendJSON(nil, unhex(t, confluent+c.value))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.schema, c.value, err, c.want)
		}
	}
}

// TestKeysOfLargeMaps: a key that is there twice is found among many.
func TestKeysOfLargeMaps(t *testing.T) {
	s := compiled(t, Source{Kind: Avro, Text: `{"type":"map","values":{"type":"map","values":"null"}}`})
	for n := 1; n < 3*fewKeys; n++ {
		value := protowire.AppendVarint(unhex(t, confluent+"02 02 61"), protowire.EncodeZigZag(int64(n+1)))
		for i := range n {
			value = append(value, 2, byte('#'+i))
		}
		value = append(value, 2)
		want := len(`{"a":{}}`) + (n+1)*len(`"a":null,`) - 1
		_, err := s.AppendJSON(nil, append(bytes.Clone(value), byte('#'+n/2), 0, 0))
		if err == nil || !strings.Contains(err.Error(), "the map has this key twice") {
			t.Errorf("%d keys, and one of them: %v", n, err)
		}
		if got, err := s.AppendJSON(nil, append(value, '!', 0, 0)); err != nil || len(got) != want {
			t.Errorf("%d keys: %s, %v", n, got, err)
		}
	}
}

// TestOutputIsBounded: schemas that make much of few bytes, and values with more text than is allowed.
func TestOutputIsBounded(t *testing.T) {
	fields := repeated(`{"type":"record","name":"R","fields":[`, `{"name":"a%d","type":"null"},`, 9_000, `{"name":"b","type":"int"}]}`)
	twice := `{"type":"record","name":"R0","fields":[]}`
	for i := range 40 {
		twice = fmt.Sprintf(`{"type":"record","name":"R%d","fields":[{"name":"a","type":%s},{"name":"b","type":"R%d"}]}`, i+1, twice, i)
	}
	for _, c := range []struct {
		name, schema string
		payload      []byte
	}{
		{"many fields", `{"type":"array","items":` + fields + `}`, append(append([]byte{0x90, 0x03}, make([]byte, 200)...), 0)},
		{"doubled 40 times", twice, nil},
		{"escapes", `"bytes"`, append([]byte{0x80, 0x80, 0x60}, make([]byte, 786_432)...)},
		{"a long text", `"string"`, append([]byte{0x80, 0x80, 0x30}, make([]byte, 393_216)...)},
	} {
		_, err := compiled(t, Source{Kind: Avro, Text: c.schema}).AppendJSON([]byte("before"), append(unhex(t, confluent), c.payload...))
		if err == nil || !strings.HasSuffix(err.Error(), "more than 1048576 bytes of JSON") {
			t.Errorf("%s: %.100v", c.name, err)
		}
	}
	text := compiled(t, Source{Kind: Avro, Text: `"string"`})
	whole := append(unhex(t, confluent+"faff7f0a"), bytes.Repeat([]byte("a"), MaxJSON-4)...)
	if got, err := text.AppendJSON([]byte("before"), whole); err != nil || len(got) != len("before")+MaxJSON {
		t.Errorf("a text of the greatest length is %d bytes, %v", len(got), err)
	}
}

func TestGlueIsDecompressed(t *testing.T) {
	zipped := func(payload []byte) []byte {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		if _, err := z.Write(payload); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	header := append([]byte{3, 5}, uuid[:]...)
	text := zipped([]byte{2, 'a'})
	for _, c := range []struct {
		payload    []byte
		want, fail string
	}{
		{text, `"a"`, ""},
		{append(bytes.Clone(text), 0), ``, `zlib: bytes after its end`},
		{text[:len(text)-1], ``, `zlib: unexpected EOF`},
		{text[:1], ``, `zlib: `},
		{append(bytes.Clone(text[:len(text)-1]), 'x'), ``, `zlib: invalid checksum`},
		{zipped(make([]byte, 1<<26)), ``, `zlib: more than 1048576 bytes`},
		{text, `"a"`, ""}, // After all errors.
	} {
		got, err := compiled(t, Source{Kind: Avro, Text: `"string"`}).AppendJSON(nil, append(bytes.Clone(header), c.payload...))
		if c.fail == "" && (err != nil || string(got) != c.want) || c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
			t.Errorf("%.20x: %s, %v, want %s%s", c.payload, got, err, c.want, c.fail)
		}
	}
}

func TestJSONIsPassedThrough(t *testing.T) {
	s := compiled(t, Source{Kind: JSON, Text: `{"type":"object"}`})
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, text := range []string{`{"a": [1, "é"]}`, ` 7 `, `null`, deep(64), `"[[[[[["`} {
		got, err := s.AppendJSON([]byte("x"), append(unhex(t, confluent), text...))
		if err != nil || string(got) != "x"+text {
			t.Errorf("%s = %s, %v", text, got, err)
		}
	}
	for _, text := range []string{``, `{} {}`, `{"a":1,"a":2}`, "\"\xff\"", `{`, deep(65), strings.Repeat(`[`, 100_000),
		strings.Repeat(" ", MaxJSON) + "1"} {
		got, err := s.AppendJSON([]byte("x"), append(unhex(t, confluent), text...))
		if err == nil || string(got) != "x" {
			t.Errorf("%.50s = %.50s, want an error", text, got)
		}
	}
	if _, err := s.AppendJSON(nil, []byte(`{"no":"header"}`)); err == nil || err.Error() != "no header of a schema registry" {
		t.Errorf("without a header: %v", err)
	}
}
