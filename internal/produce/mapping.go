package produce

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
)

// Mapping is the format of any NDJSON, and of tables: see [mapping.Mapping]. A line is also refused when its event would be larger than the
// pipeline takes. Make one with NewMapping.
type Mapping struct {
	to      *mapping.Mapping
	buckets int
	table   string
}

// NewMapping makes the format of a mapping. table is "csv" or "tsv" where the lines are rows under a header, whose names are the keys;
// "": the lines are JSON objects. buckets are those of the key.
func NewMapping(c mapping.Config, table string, buckets int) (*Mapping, error) {
	m, err := mapping.New(c)
	return &Mapping{m, buckets, table}, err
}

// newRows reads the rows of the next file; nil: it has lines.
func (m *Mapping) newRows() *rows {
	if m.table == "" {
		return nil
	}
	return &rows{tabs: m.table == "tsv", mapped: m.to.Used, needed: m.to.Needed()}
}

func (m *Mapping) record(line []byte) (Record, string) {
	e, reason := m.to.Event(&kgo.Record{Value: line})
	if reason != "" {
		return Record{}, reason
	}
	r := Record{Key: Key(e.Site, e.VisitorOrSession, m.buckets), Value: e.JSON, Time: e.Time, SiteID: e.Site, ID: e.ID, Type: e.Type}
	return r, tooLarge(r)
}

func (m *Mapping) when(line []byte) (time.Time, bool) { return m.to.Time(&kgo.Record{Value: line}) }
