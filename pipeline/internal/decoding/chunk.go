package decoding

import (
	"sync"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/wire"
)

// ChunkRecords is how many records are decoded, loaded and folded together: enough to share a batch read, little
// enough to keep the events, some 500 bytes each, in cache.
const ChunkRecords = 256

// Chunk is the records that are decoded, loaded and folded together. One goroutine has it at a time.
type Chunk struct {
	Raw     []*kgo.Record      // as they were fetched
	Bytes   int                // of Raw in memory
	Records []Record           // decoded, in the order of Raw, without those of control records
	texts   []byte             // what their events point into, besides Raw
	known   map[wire.ID]int64  // from which position on schemas are known; set by the gate
	unknown map[wire.ID]string // why the registry's answer made no schema known, for details of rejections; set by the gate
	Err     error              // decoding it as a whole failed; nil: it is decoded
}

// Pool has chunks that are in no use. What chunks take in memory belongs to no partition, so idle ones take none. Safe for concurrent
// use.
type Pool struct{ free sync.Pool }

// Take returns an empty chunk.
func (p *Pool) Take() *Chunk {
	if c, ok := p.free.Get().(*Chunk); ok {
		return c
	}
	return &Chunk{Records: make([]Record, 0, ChunkRecords)}
}

// Put takes back a chunk that is folded.
func (p *Pool) Put(c *Chunk) {
	clear(c.Records) // They point into what was fetched.
	*c = Chunk{Records: c.Records[:0], texts: c.texts}
	p.free.Put(c)
}

// DecodedBytes is about what decoding the chunk takes in memory at most: its records, and texts no longer than it is itself.
func (c *Chunk) DecodedBytes() int { return len(c.Raw)*int(unsafe.Sizeof(Record{})) + c.Bytes }

// RecordBytes is about what a record holds in memory: its bytes, headers included, and the client's structures.
func RecordBytes(r *kgo.Record) int {
	n := len(r.Key) + len(r.Value) + 256
	for i := range r.Headers {
		n += len(r.Headers[i].Key) + len(r.Headers[i].Value) + 40
	}
	return n
}
