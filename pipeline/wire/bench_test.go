package wire

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// benchmark measures one value of a web-analytics event with 12 fields.
func benchmark(b *testing.B, s *Schema, value []byte, want string) {
	dst, err := s.AppendJSON(nil, value)
	if err != nil || string(dst) != want {
		b.Fatalf("%s, %v, want %s", dst, err, want)
	}
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = s.AppendJSON(dst[:0], value); err != nil {
			b.Fatal(err)
		}
	}
}

// texts are the first fields of the event, all strings.
var texts = [][2]string{{"id", "01JZK3Q4W8M5V7X9B2C4D6F8GH"}, {"site", "shop.example"}, {"kind", "pageview"},
	{"url", "https://shop.example/products/shoes?utm_source=mail&color=red"}, {"referrer", "https://search.example/"},
	{"visitor", "7f3d2c1b0a998877"}, {"language", "en-GB"}, {"agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0"}}

func eventJSON() string {
	text := "{"
	for _, f := range texts {
		text += fmt.Sprintf("%q:%q,", f[0], f[1])
	}
	return text + `"time":1774969344123,"width":1440,"bot":false,"price":12.5}`
}

func BenchmarkAvro(b *testing.B) {
	schema, value := `{"type":"record","name":"Event","fields":[`, []byte{0, 0, 0, 0, 7}
	for _, f := range texts {
		schema += fmt.Sprintf(`{"name":%q,"type":"string"},`, f[0])
		value = append(appendLong(value, int64(len(f[1]))), f[1]...)
	}
	schema += `{"name":"time","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"width","type":["null","int"]},
		{"name":"bot","type":"boolean"},{"name":"price","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":1}}]}`
	value = append(appendLong(append(appendLong(value, 1774969344123), 2), 1440), 0, 2, 125)
	benchmark(b, compiled(b, Source{Kind: Avro, Text: schema}), value, eventJSON())
}

func appendLong(dst []byte, n int64) []byte {
	return protowire.AppendVarint(dst, protowire.EncodeZigZag(n))
}

func BenchmarkProtobuf(b *testing.B) {
	schema, value := proto3+`message Event {`, []byte{0, 0, 0, 0, 7, 0}
	for i, f := range texts {
		schema += fmt.Sprintf(`string %s = %d;`, f[0], i+1)
		value = append(append(value, byte(i+1)<<3|2, byte(len(f[1]))), f[1]...)
	}
	schema += `int64 time = 9; int32 width = 10; optional bool bot = 11; double price = 12; }`
	value = protowire.AppendVarint(append(value, 9<<3), 1774969344123)
	value = append(value, 10<<3, 0xa0, 0x0b, 11<<3, 0, 12<<3|1, 0, 0, 0, 0, 0, 0, 0x29, 0x40)
	benchmark(b, compiled(b, Source{Kind: Protobuf, Text: schema}), value, eventJSON())
}
