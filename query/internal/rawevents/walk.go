package rawevents

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// maxTied bounds how many raw events of one millisecond are held to bring them into the order of the log: 100,000 of 1 KB are
// 100 MB. If there are more, each batch of this size is in order.
const maxTied = 100_000

// A Walk walks all raw events of a site in a span, in the order of their event time. Those of one millisecond come in the
// order of the log: by topic, partition and offset. A log whose times are whole seconds, as those of web servers are, has many
// such, and a visitor's are mostly of one partition.
//
// An event that lies in two shards, since a worker laid it elsewhere before it knew the site's rules, comes once.
type Walk struct {
	m       *sitetable.Merge
	most    int   // events that are read at most; 0: any number
	Read    int   // events that were read, also those that have expired
	Expired int   // of these
	Gone    int64 // event time of the last that has expired, ms since the epoch
}

// NewWalk begins a walk over the raw events of a span. most is the maximum number of events that it reads; 0: unlimited. Where they may
// be is read now, so the walk has every event that stats had before.
func NewWalk(ctx context.Context, t sitetable.Table, s calendar.Span, most int) (*Walk, error) {
	kinds, err := t.RawKinds(ctx)
	pks := Shards(t.Keys, t.Site, t.Clock.Rules.ShardsIn(s.From, s.To))
	q := sinks.Query{From: sinks.EventPrefix + FirstULID(s.From), To: sinks.EventPrefix + LastULID(s.To-1), Consistent: t.Consistent}
	w := &Walk{m: t.Walk(q, sitetable.MaxPage*len(pks), sitetable.Position{}, pks...), most: most}
	w.m.RawEvents(kinds, nil)
	return w, err
}

// All yields the raw events. If there are more than the walk may read, the last value is a *ranges.ParamError.
func (w *Walk) All(ctx context.Context) iter.Seq2[sinks.Item, error] {
	return func(yield func(sinks.Item, error) bool) {
		var tied []sinks.Item // of one millisecond
		flush := func() bool {
			slices.SortStableFunc(tied, pack.Compare)
			for _, it := range tied {
				if !yield(it, nil) {
					return false
				}
			}
			tied = tied[:0]
			return true
		}
		for it, err := range w.kept(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			n := len(tied)
			over := n > 0 && (n == maxTied || it["timestamp"].Int() != tied[0]["timestamp"].Int())
			if over && !flush() {
				return
			}
			if over || n == 0 || !SameEvent(tied[n-1], it) {
				tied = append(tied, it)
			} else if pack.Compare(it, tied[n-1]) < 0 {
				tied[n-1] = it
			}
		}
		flush()
	}
}

// Units returns the read units that the walk has consumed.
func (w *Walk) Units() float64 { return w.m.Units() }

// kept yields the events in the order of the store, but for those that have expired.
func (w *Walk) kept(ctx context.Context) iter.Seq2[sinks.Item, error] {
	return func(yield func(sinks.Item, error) bool) {
		for it, err := range w.m.All(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if w.Read++; w.most > 0 && w.Read > w.most {
				yield(nil, TooMany(w.most))
				return
			}
			if w.m.T.Expired(it.Item) {
				w.Expired++
				w.Gone = it.Item["timestamp"].Int()
			} else if !yield(it.Item, nil) {
				return
			}
		}
	}
}

// SameEvent reports whether two items are one event, of one visitor or session, in two shards.
func SameEvent(a, b sinks.Item) bool {
	return a[sinks.AttrSK].Str() == b[sinks.AttrSK].Str() && a[sinks.AttrVisitorID].Str() == b[sinks.AttrVisitorID].Str() &&
		a[sinks.AttrSessionID].Str() == b[sinks.AttrSessionID].Str()
}

// TooMany is the error of a range that has more raw events than may be read.
func TooMany(most int) error {
	return &ranges.ParamError{Param: "max-events", Value: strconv.Itoa(most),
		Remedy: "the range has more raw events: ask for a shorter one, or raise the bound; a million " +
			"events of 500 bytes cost up to 61,000 read units, and up to 450 MB of memory"}
}

// ForEver is the retention of what does not expire.
const ForEver = -1

// Shards are the partition keys of all shards of a site, given each number of shards that holds.
func Shards(keys sinks.Keys, site string, shards []int) []string {
	pks := make([]string, slices.Max(shards))
	for nn := range pks {
		pks[nn] = sinks.RawShard(site, nn)
	}
	return pks
}

// FirstULID and LastULID are the bounds of the ULIDs of a millisecond.
func FirstULID(ms int64) string {
	var u ulid.ULID
	mustSetTime(&u, ms)
	return u.String()
}

func LastULID(ms int64) string {
	var u ulid.ULID
	for i := range u {
		u[i] = 0xff
	}
	mustSetTime(&u, ms)
	return u.String()
}

func mustSetTime(u *ulid.ULID, ms int64) {
	if err := u.SetTime(uint64(ms)); err != nil {
		panic("a span reaches beyond the time of a ULID: " + strconv.FormatInt(ms, 10)) // It ends in the year 9999, a ULID's in 10889.
	}
}
