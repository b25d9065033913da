package produce

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/eventjson"
)

// ledger writes a line for each record that Kafka acknowledged, in one Write, before the record counts as sent: what
// the ledger has is on the broker, whenever the process ends. What is on the broker may be missing from it.
//
//	{"partition":3,"offset":1041,"siteId":"shop.example","id":"0199…","type":"purchase"}
type ledger struct {
	w   io.Writer
	err error // the first; nothing is written after it
	buf []byte
}

func (l *ledger) add(k *kgo.Record, r Record) {
	if l.w == nil || l.err != nil {
		return
	}
	b := append(l.buf[:0], `{"partition":`...)
	b = append(b, jsontext.Int(int64(k.Partition)).String()...)
	b = append(b, `,"offset":`...)
	b = append(b, jsontext.Int(k.Offset).String()...)
	for _, f := range [...]field{{"siteId", r.SiteID}, {"id", r.ID}, {"type", r.Type}} {
		b = append(append(append(b, `,"`...), f.name...), `":`...)
		b = eventjson.AppendQuoted(b, f.text)
	}
	l.buf = append(b, "}\n"...)
	_, l.err = l.w.Write(l.buf)
}
