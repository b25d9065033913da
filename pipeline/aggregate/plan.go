package aggregate

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// Write is one request of a step. Its bytes are final when the step is cut: every try sends the same.
type Write struct {
	Kind   string       // the item's entity type
	Update sinks.Update // guarded by the applied mark; used when item is nil
	Item   sinks.Item   // put whole and unconditionally: repeating it changes nothing
}

// Key is that of the item that is written.
func (w *Write) Key() sinks.Key {
	if w.Item != nil {
		return w.Item.Key()
	}
	return w.Update.Key
}

// Plan is what a step amounts to: a pure function of the states before the step, its records and its settings,
// but for the writes that are left out since their items have expired.
//
// A day's stats are written after everything else of the step, with their mark even when no counter changes: who
// reads the marks of a day and then its hours sees in the hours at least the steps that the marks name.
type Plan struct {
	Raw     []Write // packs of raw events, written before all else: they never lag behind what counts their events
	Writes  []Write
	Days    []Write
	Deletes []sinks.Key // journal entries that were merged in a step that is settled
	parts   int         // bytes of states, sketches and breakdowns in the writes
	Counts  Counts
}

// Counts are what operators watch of a step.
type Counts struct {
	Expired        map[string]int // writes that were left out since their items have expired, by kind of item
	BreakdownsFull int            // breakdowns that have more values than rows
	GoalsFull      int            // conversions that could not be noted
}

func (c *Counts) expire(kind string) {
	if c.Expired == nil {
		c.Expired = make(map[string]int)
	}
	c.Expired[kind]++
}

func (p *Plan) Size() int { return len(p.Writes) + len(p.Days) }

// Updates is how many of the writes are guarded.
func (p *Plan) Updates() (n int) {
	for _, list := range [][]Write{p.Writes, p.Days} {
		for i := range list {
			if list[i].Item == nil {
				n++
			}
		}
	}
	return n
}

// guard is the mark of a chain's step, as a condition and as what is set; all writes of the step share it.
type guard struct {
	unless []sinks.Cond
	mark   sinks.Attr
}

func guardOf(mark string, step int64) guard {
	return guard{
		unless: []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: sinks.Int(step)}},
		mark:   sinks.Attr{Name: mark, Value: sinks.Int(step)},
	}
}

// guardAttrs is how many attributes guarded adds.
const guardAttrs = 3

// guarded makes an update of one item under the mark of a chain's step: it is refused once the step, or a later
// one, is in the item. That keeps the promise "exact" against every repetition.
func guarded(kind string, key sinks.Key, g guard, add, set []sinks.Attr) Write {
	set = append(set,
		sinks.Attr{Name: sinks.AttrEntity, Value: sinks.Str(kind)},
		sinks.Attr{Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)}, g.mark)
	return Write{Kind: kind, Update: sinks.Update{Key: key, Add: add, Set: set, Remove: unset(set), If: g.unless}}
}

// unset are the attributes that an item has no more: its time to live, once its retention is for ever.
func unset(set []sinks.Attr) []string {
	for i := range set {
		if set[i].Name == sinks.AttrTTL {
			return nil
		}
	}
	return noTTL
}

var noTTL = []string{sinks.AttrTTL}

// attrs deals out room for the attributes of a step's writes from larger pieces: the many small slices of a step
// live and die together. Pieces double from that of a step of one item to 12 KB.
type attrs struct {
	rest  []sinks.Attr
	piece int
	last  []sinks.Attr // what was left before the last room was dealt out
}

// room returns an empty slice with place for n attributes.
func (a *attrs) room(n int) []sinks.Attr {
	if len(a.rest) < n {
		a.piece = min(max(n, 2*a.piece), 256)
		a.rest = make([]sinks.Attr, max(n, a.piece))
	}
	a.last = a.rest
	room := a.rest[:0:n]
	a.rest = a.rest[n:]
	return room
}

// took takes back the room that set has left over, except for more attributes.
func (a *attrs) took(set []sinks.Attr, more int) []sinks.Attr {
	n := len(set) + more
	a.rest = a.last[n:]
	return set[:len(set):n]
}

// sums are the counters of an hour or a day that a step adds to.
type sums struct {
	figures.Sums
	goals goalSums
}

// add books an event in the bucket of its own time.
func (s *sums) add(e *event.Event) {
	s.Counts[figures.Events]++
	if e.IsPageView() {
		s.Counts[figures.PageViews]++
	}
	if e.HasValue {
		s.Counts[figures.Values]++
		s.AddMicros(figures.ValueMicros, int128.From(e.Value))
	}
}

// book adds (sign 1) or takes away (sign -1) what a session contributes to the bucket of its start.
func (s *sums) book(st *state.Session, sign int64) {
	s.Counts[figures.Sessions] += sign
	s.Counts[figures.DurationMs] += sign * st.DurationMs()
	if st.Bounce() {
		s.Counts[figures.Bounces] += sign
	}
	if st.Engaged() {
		s.Counts[figures.Engaged] += sign
	}
}

// attrs appends the additions of all counters that change.
func (s *sums) attrs(a []sinks.Attr) []sinks.Attr {
	for sum := range figures.AllSums {
		switch {
		case !sum.Decimal():
			if n := s.Counts[sum]; n != 0 {
				a = append(a, sinks.Attr{Name: sum.Attr(), Value: sinks.Int(n)})
			}
		case s.Micros(sum) != int128.Int{}:
			a = append(a, sinks.Attr{Name: sum.Attr(), Value: sinks.Num(s.Micros(sum))})
		}
	}
	return s.goals.attrs(a)
}

// Expiry is when an item is to be deleted: days after an instant in milliseconds, in seconds since the epoch.
// Never has none.
type Expiry struct {
	At    int64
	Never bool
}

func Expires(end int64, days int64) Expiry {
	return Expiry{At: end/1000 + days*86_400, Never: days == checkpoint.Never}
}

// Passed reports whether nothing may be written to the item any more at now, in seconds: no reader sees it, and a
// redo may find it gone. This is the protocol's one use of the clock.
func (x Expiry) Passed(now int64) bool { return !x.Never && x.At <= now }

// is reports whether two items expire at the same time.
func (x Expiry) is(o Expiry) bool { return x.Never && o.Never || x == o }

// expiryOf reads an item's.
func expiryOf(it sinks.Item) Expiry {
	ttl := it[sinks.AttrTTL]
	return Expiry{At: ttl.Int(), Never: ttl.Kind() != sinks.Number}
}

// attr appends the ttl attribute, if there is one.
func (x Expiry) attr(set []sinks.Attr) []sinks.Attr {
	if x.Never {
		return set
	}
	return append(set, sinks.Attr{Name: sinks.AttrTTL, Value: sinks.Int(x.At)})
}
