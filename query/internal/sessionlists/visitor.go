package sessionlists

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// visitorList is what is asked of the lists by visitor.
type visitorList struct {
	*sitetable.Store
	Asked
	calendar.Span
	hash   uint64
	after  sitetable.Position
	shards int
	read   int   // items of lists so far
	list   *Refs // of what they name
}

// OfVisitor lists the visitor's sessions by time, in the order of their sort keys in the lists of users. Each flush has listed
// some, in an item of new sessions, or in the bucket of the visitor's hash at the depth that the flush chose. An item is of an hour, so
// what the items of an hour name is sorted.
func OfVisitor(ctx context.Context, t *sitetable.Store, p Asked, s calendar.Span, list sitetable.Listing) (*Refs,
	error) {
	shards, err := t.SessionShards(ctx)
	if err != nil {
		return nil, err
	}
	v := &visitorList{Store: t, Asked: p, Span: s, hash: sinks.VisitorHash(p.Visitor), after: list.Cursor.Position(), shards: shards}
	from, to, err := v.hours(list.Cursor)
	if err != nil {
		return nil, err
	}
	m := &sitetable.Merge{T: t, KeyAttr: sinks.AttrSK, Desc: p.Desc, Order: inBucket}
	within := func(from, to string) { // Few items name the visitor, so many are wanted.
		m.Scans = append(m.Scans, &sitetable.Scan{Q: sinks.Query{PK: t.Keys.VisitorList(p.Site), From: from, To: to + "~", Desc: p.Desc,
			Consistent: p.Consistent, Limit: sitetable.MaxPage}})
	}
	within(sinks.NewSessionsPrefix+from+":00", sinks.NewSessionsPrefix+to+":59")
	for depth := range sinks.MaxVisitorDepth + 1 {
		bucket := sinks.VisitorBucketOf(v.hash, depth).String() + "#"
		within(bucket+from, bucket+to)
	}
	v.list = &Refs{t: t, all: func(ctx context.Context) iter.Seq2[itemRef, error] { return v.refs(m.All(ctx)) }, keep: v.keep}
	return v.list, nil
}

// keep reports whether an item is of the visitor, and was opened where a list names it. A session that began again, since its item had
// expired or was set aside, is named twice. An item that cannot be read is kept, for its error.
func (v *visitorList) keep(it sinks.Item, named []sitetable.Position) bool {
	if state.IdentityOf(it).Visitor != v.Visitor {
		return false
	}
	s, err := state.SessionOf(it)
	return err != nil || s.Events == 0 || slices.ContainsFunc(named, func(pos sitetable.Position) bool {
		digits, _, _ := strings.Cut(pos.Key, "#")
		at, err := sinks.ParseInstant(digits)
		return err == nil && at == s.OpenedAt
	})
}

// inBucket returns what follows the bucket in the sort key of a list, hour#tp#flush#number, or what follows the prefix of new sessions,
// with ~ in the place of a number: minute#tp#flush#~.
func inBucket(sk string) string {
	if strings.HasPrefix(sk, sinks.NewSessionsPrefix) {
		return recentPlace(sk)
	}
	_, rest, _ := strings.Cut(sk, "#")
	return rest
}

// hourIn returns the hour that what inBucket returns begins with.
func hourIn(place string) string {
	at, _, _ := strings.Cut(place, "#")
	return at[:min(len(at), len("2026-05-12T14"))]
}

// hours returns the first and the last of the hours that may list sessions of the span after the cursor.
func (v *visitorList) hours(c sitetable.Cursor) (from, to string, err error) {
	first, last := v.Span.From, v.Span.To-1
	if !v.after.Start() {
		digits, _, _ := strings.Cut(v.after.Key, "#")
		at, err := sinks.ParseInstant(digits)
		if err != nil {
			return "", "", &ranges.ParamError{Param: "cursor", Value: c.String(),
				Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
		}
		if v.Desc {
			last = min(last, at)
		} else {
			first = max(first, at)
		}
	}
	return hourBound(first), hourBound(last), nil
}

// hourBound spells the hour of an instant in UTC.
func hourBound(ms int64) string { return sinks.Hour(hourStart(ms)) }

// refs yields what the items name of the visitor, hour by hour. It ends the page after the hour in which it has read enough items:
// most of them do not name the visitor.
func (v *visitorList) refs(items iter.Seq2[sitetable.Listed, error]) iter.Seq2[itemRef, error] {
	return func(yield func(itemRef, error) bool) {
		var hour string
		var refs []itemRef
		for it, err := range items {
			at := hourIn(it.At.Key)
			if err == nil && at != hour {
				if !v.yield(refs, yield) || v.read >= sitetable.MaxScanned && v.end(hour) {
					return
				}
				hour, refs = at, nil
			}
			if err == nil {
				v.read++
				refs, err = v.entries(refs, it.Item)
			}
			if err != nil {
				yield(itemRef{}, err)
				return
			}
		}
		v.yield(refs, yield)
	}
}

// end ends the page after an hour. The next one begins with the hour that follows.
func (v *visitorList) end(name string) bool {
	hour, err := sinks.ParseHour(name)
	if err != nil {
		return false // The items of the hour were read, which fails with its name.
	}
	v.list.cut = true
	if v.list.Last = (sitetable.Position{Key: sinks.InstantBound(hour + time.Hour.Milliseconds())}); v.Desc {
		v.list.Last = sitetable.Position{Key: sinks.InstantBound(hour-1) + "#~"}
	}
	return true
}

// entries appends what an item names of the visitor.
func (v *visitorList) entries(refs []itemRef, it sinks.Item) ([]itemRef, error) {
	key, sk := it.Key(), inBucket(it[sinks.AttrSK].Str())
	tp, err := listTP("sessions of visitors", sk)
	if err != nil {
		return nil, err
	}
	hour, err := sinks.ParseHour(hourIn(sk))
	if err != nil {
		return nil, err
	}
	entries, err := state.DecodeListed(it[sinks.AttrListed].Bytes(), hour, tp)
	if err != nil {
		return nil, sinks.Damaged(key, sinks.AttrListed, err)
	}
	for _, e := range entries {
		pos := sitetable.Position{Key: sinks.SessionOrder(e.OpenedAt, e.Session, tp)}
		if e.Visitor == v.hash && v.Has(e.OpenedAt) && (v.after.Start() || v.compare(pos, v.after) > 0) {
			refs = append(refs, itemRef{v.Keys.Session(v.Site, e.Session, tp, v.shards), pos})
		}
	}
	return refs, nil
}

// yield yields the refs of an hour in order. A session that was listed again is there once.
func (v *visitorList) yield(refs []itemRef, yield func(itemRef, error) bool) bool {
	slices.SortStableFunc(refs, func(a, b itemRef) int { return v.compare(a.pos, b.pos) })
	for _, ref := range slices.Compact(refs) {
		if !yield(ref, nil) {
			return false
		}
	}
	return true
}

// compare orders positions as the list has them.
func (v *visitorList) compare(a, b sitetable.Position) int {
	if v.Desc {
		a, b = b, a
	}
	return strings.Compare(a.Key, b.Key)
}
