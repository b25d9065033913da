package direct

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// handful is some records of a partition, with their bytes.
type handful struct {
	raws    []*kgo.Record
	origins []origin
	room    [decoding.ChunkRecords]kgo.Record // of raws
	values  []byte
}

// origin is where a record comes from.
type origin struct {
	Line
	added int64
}

// add copies a record, of which there are at most decoding.ChunkRecords.
func (h *handful) add(r Record, added int64) {
	from := len(h.values)
	h.values = append(h.values, r.Value...) // Where it moves, records before keep the memory that they are in.
	raw := &h.room[len(h.raws)]
	*raw = kgo.Record{Value: h.values[from:len(h.values):len(h.values)], Timestamp: r.Time}
	h.raws, h.origins = append(h.raws, raw), append(h.origins, origin{r.From, added})
}

// reset makes it empty. Nothing uses its records any more.
func (h *handful) reset() {
	h.raws, h.origins, h.values = h.raws[:0], h.origins[:0], h.values[:0]
	if cap(h.values) > keptBytes { // Long lines are few.
		h.values = nil
	}
}

// keptBytes is how much memory an empty handful keeps.
const keptBytes = 1 << 20
