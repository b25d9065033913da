package sessionlists

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// The sessions that were opened of late are in two kinds of items: those of recent sessions, which are of a minute, and those of new
// sessions, which span ten minutes and end with the minute in their key. Both are walked at once. What an item of new sessions names is
// taken apart into lists of a minute, which wait until no item that is still to come can name an earlier place.

// recentList is what is asked of the list of recent sessions.
type recentList struct {
	*sitetable.Store
	Asked
	calendar.Span
	after   sitetable.Position
	resumed int64 // the minute that the page before ended in
	shards  int
	seen    map[sinks.Key]bool // of this page: a flush that was repeated for an erasure may have left a session in both kinds of items
}

// Recent lists the site's recent sessions.
func Recent(ctx context.Context, t *sitetable.Store, p Asked, s calendar.Span, c sitetable.Cursor) (*Refs, error) {
	shards, err := t.SessionShards(ctx)
	if err != nil {
		return nil, err
	}
	r := &recentList{Store: t, Asked: p, Span: s, after: c.Position(), shards: shards, seen: make(map[sinks.Key]bool)}
	if !r.after.Start() {
		minute, _, _ := strings.Cut(r.after.Key, "#")
		if r.resumed, err = sinks.ParseMinute(minute); err != nil {
			return nil, &ranges.ParamError{Param: "cursor", Value: c.String(),
				Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
		}
	}
	return refsOf(t, r.lists, r.read), nil
}

// read returns what a list of a minute names.
func (r *recentList) read(it sitetable.Listed) ([]itemRef, error) {
	tp, err := listTP("recent sessions", it.At.Key)
	if err != nil {
		return nil, err
	}
	var refs []itemRef
	for i, id := range it.Item[sinks.AttrSessionIDs].Strings() {
		key := r.Keys.Session(r.Site, id, tp, r.shards)
		if it.At.Key == r.after.Key && i <= r.after.N || r.seen[key] {
			continue
		}
		r.seen[key] = true
		refs = append(refs, itemRef{key, sitetable.Position{Key: it.At.Key, N: i}})
	}
	return refs, nil
}

// walk makes a walk through both kinds of items, in the order of recentPlace.
func (r *recentList) walk() *sitetable.Merge {
	// An item names up to 500 sessions, so few are wanted at once; the one that a page ended in is read again.
	const want = 20
	lists := sinks.Query{PK: r.Keys.RecentList(r.Site), Desc: r.Desc, Consistent: r.Consistent, Limit: want + 1}
	keys := r.MinuteBounds("")
	lists.From, lists.To = keys.From, keys.To
	reach := sinks.NewSessionsSpan.Milliseconds()
	s := r.Span
	s.From = max(s.From, r.Now().Add(-sinks.RecentTTL-time.Minute).UnixMilli()) // Items of new sessions are kept for longer.
	switch {
	case r.after.Start():
	case r.Desc:
		lists.To = min(lists.To, r.after.Key)
		s.To = min(s.To, r.resumed+time.Minute.Milliseconds())
	default:
		lists.From = max(lists.From, r.after.Key)
		s.From = max(s.From, r.resumed)
	}
	s.To = min(s.To+reach, calendar.LastInstant.UnixMilli())
	news := lists
	keys = s.MinuteBounds(sinks.NewSessionsPrefix)
	news.PK, news.From, news.To = r.Keys.VisitorList(r.Site), keys.From, keys.To
	return &sitetable.Merge{T: r.Store, KeyAttr: sinks.AttrSK, Desc: r.Desc, Order: recentPlace,
		Scans: []*sitetable.Scan{{Q: lists}, {Q: news}}}
}

// recentPlace returns the place in the list of an item: its sort key, minute#tp#flush#number, or that of the last minute that an item of
// new sessions names, which has ~ in the place of a number.
func recentPlace(sk string) string {
	if place, ok := strings.CutPrefix(sk, sinks.NewSessionsPrefix); ok {
		return place + "#~"
	}
	return sk
}

// lists yields the lists of each minute in order, those that items of new sessions are taken apart into among them.
func (r *recentList) lists(ctx context.Context) iter.Seq2[sitetable.Listed, error] {
	return func(yield func(sitetable.Listed, error) bool) {
		waiting := make(map[string]sinks.Item) // by place
		for it, err := range r.walk().All(ctx) {
			if err == nil {
				err = r.take(waiting, it)
			}
			if err != nil {
				yield(sitetable.Listed{}, err)
				return
			}
			if !r.release(waiting, r.passed(it.At.Key), yield) {
				return
			}
		}
		r.release(waiting, func(string) bool { return true }, yield)
	}
}

// passed returns what says that no item after the one at a place names a place before another one, or that one.
func (r *recentList) passed(at string) func(place string) bool {
	if r.Desc { // What comes is below.
		return func(place string) bool { return place >= at }
	}
	minute, _, _ := strings.Cut(at, "#")
	first, err := sinks.ParseMinute(minute)
	if err != nil {
		return func(string) bool { return false } // No minute: it is read when the walk ends, which fails.
	}
	bound := sinks.Minute(first + time.Minute.Milliseconds() - sinks.NewSessionsSpan.Milliseconds())
	return func(place string) bool { return place < bound }
}

// release yields the lists that need not wait any more, in order.
func (r *recentList) release(waiting map[string]sinks.Item, passed func(place string) bool, yield func(sitetable.Listed, error) bool) bool {
	var places []string
	for place := range maps.Keys(waiting) {
		if passed(place) {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	if r.Desc {
		slices.Reverse(places)
	}
	for _, place := range places {
		it := waiting[place]
		delete(waiting, place)
		if !yield(sitetable.Listed{Item: it, At: sitetable.Position{Key: place}}, nil) {
			return false
		}
	}
	return true
}

// take has an item wait, or the lists that one of new sessions is taken apart into.
func (r *recentList) take(waiting map[string]sinks.Item, it sitetable.Listed) error {
	if it.Key().PK == r.Keys.RecentList(r.Site) {
		if it.At.Key != r.after.Key || r.after.N != wholeItem {
			waiting[it.At.Key] = it.Item
		}
		return nil
	}
	tp, err := listTP("new sessions", it.At.Key)
	if err != nil {
		return err
	}
	minute, rest, _ := strings.Cut(it.At.Key, "#")
	last, err := sinks.ParseMinute(minute)
	if err != nil {
		return fmt.Errorf("sort key %q of new sessions: %w", it.At.Key, err)
	}
	entries, err := state.DecodeListed(it.Item[sinks.AttrListed].Bytes(), hourStart(last), tp)
	if err != nil {
		return sinks.Damaged(it.Key(), sinks.AttrListed, err)
	}
	for _, e := range entries {
		place := sinks.Minute(e.OpenedAt) + "#" + rest
		if !r.Has(e.OpenedAt) || !r.after.Start() && r.before(place, r.after.Key) {
			continue
		}
		ids := waiting[place][sinks.AttrSessionIDs].Strings()
		expires := e.OpenedAt - e.OpenedAt%time.Minute.Milliseconds() + time.Minute.Milliseconds() + sinks.RecentTTL.Milliseconds()
		waiting[place] = sinks.Item{sinks.AttrSessionIDs: sinks.Strings(append(ids, e.Session)), sinks.AttrTTL: sinks.Int(expires / 1000)}
	}
	return nil
}

// before reports whether the list has a place before another.
func (r *recentList) before(a, b string) bool {
	if r.Desc {
		a, b = b, a
	}
	return a < b
}

// hourStart returns the beginning of the hour in UTC of an instant.
func hourStart(ms int64) int64 { return ms - ms%time.Hour.Milliseconds() }

// listTP reads the partition in the place of an item of a list, bucket#tp#flush#number.
func listTP(list, sk string) (sinks.TP, error) {
	parts := strings.Split(sk, "#")
	if len(parts) != 4 {
		return sinks.TP{}, fmt.Errorf("sort key %q of %s does not have four parts", sk, list)
	}
	tp, err := sinks.ParseTP(parts[1])
	if err != nil {
		return sinks.TP{}, fmt.Errorf("sort key %q of %s: %w", sk, list, err)
	}
	return tp, nil
}
