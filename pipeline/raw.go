package pipeline

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sinks"
)

// rawWriter sends raw events as records arrive, in batches. A raw event's key is made of the event, and of how many shards its site
// has on its day, which is decided a day ahead: so a redelivery, a redo and a former owner all overwrite it with the same bytes,
// and it needs no mark. (An event that its producer published twice is one item; which of the two records it names as its source is
// not defined. And what settings and rules decide, its time to live, by what it is a bot's and whether it is foreign or excluded,
// is as the one who wrote it last has them.) The step that a record belongs to settles only when its raw event is durable.
//
// add and flush are called by the worker's goroutine.
type rawWriter struct {
	send        *sender
	pulse       *pulse
	ctx         context.Context // the worker's input and output; kept here since batches outlive the calls
	signal      func()          // wakes the worker
	fail        func(error)
	outstanding atomic.Int64 // items on their way
	bytes       atomic.Int64 // that they take in memory
	wg          sync.WaitGroup

	batch []sinks.Attrs
	size  int64             // of the batch in memory
	keys  map[sinks.Key]int // index in batch
	tally *tally            // the step that the batch belongs to
}

// rawOutstanding and rawBytes are how many raw events of a partition may be on their way before the worker stops folding: 80
// batches, some 6 MB where they are of ordinary size.
const (
	rawOutstanding = 2000
	rawBytes       = 16 << 20
	// rawRoom is what the item of a raw event takes in memory beside its texts: 30 attributes of 48 bytes, the key and the source.
	rawRoom = 2 << 10
)

func (w *rawWriter) full() bool {
	return w.outstanding.Load() >= rawOutstanding || w.bytes.Load() >= rawBytes
}

// add takes an item of the step that t counts for; textBytes is the size of its texts.
func (w *rawWriter) add(it sinks.Attrs, textBytes int, t *tally) {
	if w.tally != t {
		w.flush()
		w.tally = t
	}
	key := it.Key()
	if i, ok := w.keys[key]; ok { // Sent twice by its producer: the store refuses a key twice in a batch.
		w.batch[i] = it
		return
	}
	if w.keys == nil {
		w.keys = make(map[sinks.Key]int, sinks.MaxBatchPut)
	}
	w.keys[key] = len(w.batch)
	w.batch = append(w.batch, it)
	w.size += int64(rawRoom + textBytes)
	t.pending.Add(1)
	w.outstanding.Add(1)
	if len(w.batch) == sinks.MaxBatchPut {
		w.flush()
	}
}

// flush sends what is left of a batch.
func (w *rawWriter) flush() {
	if len(w.batch) == 0 {
		return
	}
	batch, size, t := w.batch, w.size, w.tally
	w.batch, w.size = make([]sinks.Attrs, 0, sinks.MaxBatchPut), 0
	w.bytes.Add(size)
	clear(w.keys)
	w.wg.Go(func() {
		if err := w.send.batchPut(w.ctx, w.pulse, sinks.EntityEvent, batch); err != nil {
			w.fail(err)
			return
		}
		w.send.metrics.Writes.WithLabelValues(sinks.EntityEvent).Add(float64(len(batch)))
		t.pending.Add(-int64(len(batch)))
		w.outstanding.Add(-int64(len(batch)))
		w.bytes.Add(-size)
		w.signal()
	})
}

// eventItem makes the item of a raw event. kept are the parameters that its urls keep.
func eventItem(key sinks.Key, r *record, kept *urlquery.Kept, ttl plan.Expiry) sinks.Attrs {
	e := &r.Event
	const own = 12 // texts that are no dimensions
	texts := [own + len(figures.Given)]struct {
		name  string
		value []byte
	}{
		{"siteId", e.SiteID}, {"type", e.Type}, {"id", e.ID}, {"visitorId", e.VisitorID}, {"sessionId", e.SessionID},
		{"userId", e.UserID}, {"url", kept.Cut(e.URL)}, {"referrer", kept.Cut(e.Referrer)}, {"title", e.Title}, {"userAgent", e.UserAgent},
		{"name", e.Name}, {"properties", e.Properties},
	}
	for i, d := range figures.Given {
		texts[own+i].name, texts[own+i].value = figures.Dimensions[d].Name, e.Given[i]
	}
	n, given := 0, 0
	for i := range texts {
		if texts[i].value != nil {
			n, given = n+len(texts[i].value), given+1
		}
	}
	var all strings.Builder // All texts share one string: one allocation an event.
	all.Grow(n)
	const others = 12 // The attributes below that are no texts.
	it := make(sinks.Attrs, 0, given+others)
	add := func(name string, v sinks.Value) { it = append(it, sinks.Attr{Name: name, Value: v}) }
	add(sinks.AttrPK, sinks.Str(key.PK))
	add(sinks.AttrSK, sinks.Str(key.SK))
	add(sinks.AttrEntity, sinks.Str(sinks.EntityEvent))
	add(sinks.AttrSchema, sinks.Int(sinks.SchemaVersion))
	for i := range texts {
		if t := &texts[i]; t.value != nil {
			begin := all.Len()
			all.Write(t.value)
			add(t.name, sinks.Str(all.String()[begin:]))
		}
	}
	add("timestamp", sinks.Int(e.Timestamp))
	if e.HasValue {
		add("value", sinks.Str(FormatMicros(e.Value)))
	}
	add("recordTime", sinks.Int(r.Time))
	add("source", sinks.Str(r.source()))
	if r.Bot.Known() {
		add(sinks.AttrBot, sinks.Str(string(r.Bot)))
	}
	if r.Foreign {
		add(sinks.AttrForeign, sinks.Int(1))
	}
	if r.Excluded {
		add(sinks.AttrExcluded, sinks.Int(1))
	}
	if !ttl.Never {
		add(sinks.AttrTTL, sinks.Int(ttl.At))
	}
	return it
}

// FormatMicros spells millionths as a decimal number without needless zeros: 1500000 is 1.5.
func FormatMicros(n int64) string {
	s := ""
	if n < 0 {
		s, n = "-", -n
	}
	s += strconv.FormatInt(n/1_000_000, 10)
	frac := n % 1_000_000
	if frac == 0 {
		return s
	}
	digits := strconv.FormatInt(1_000_000+frac, 10)[1:]
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return s + "." + digits
}
