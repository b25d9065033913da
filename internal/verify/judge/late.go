package judge

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// journals are the journals of dates, as they were read last.
type journals struct {
	*scope.Scope
	*finding.Tally
	mu sync.Mutex // covers of: sites are scanned side by side
	of map[LateDate]*journal.Journal
}

// A lateDate is a date of a site, which has a journal.
type LateDate struct {
	Site string
	Date int64
}

func lateDateOf(s Subject) LateDate {
	for date := range sinks.DaysOfHours(s.At, s.At+1) {
		return LateDate{s.Site, date}
	}
	panic("verify: an instant without a date")
}

// ReadJournal reads the journal of a date, which is to be read before the items of its hours: an entry is deleted once it is in
// them.
func (v *journals) ReadJournal(ctx context.Context, at LateDate) error {
	j := new(journal.Journal)
	for it, err := range v.Items(ctx, sinks.Query{PK: v.Keys.BreakdownOfDay(at.Site, at.Date), Prefix: sinks.LatePrefix}) {
		if err != nil {
			return fmt.Errorf("site %q: read the journal of %s: %w", at.Site, sinks.Day(at.Date), err)
		}
		e, err := journal.Read(it)
		if err != nil {
			v.Differ(finding.Difference{Kind: finding.KindLate, PK: it.Key().PK, SK: it.Key().SK, Attribute: sinks.AttrPart,
				Table: "unreadable: " + err.Error(), Recount: "a journal entry"})
			continue
		}
		j.Add(e)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.of[at] = j
	return nil
}

// RereadJournals reads the journals that the subjects need.
func (v *journals) RereadJournals(ctx context.Context, batch []Subject) error {
	read := make(map[LateDate]bool)
	for _, s := range batch {
		if at := lateDateOf(s); (s.Kind == finding.KindUniques || s.Kind == finding.KindBreakdown) && !read[at] {
			read[at] = true
			if err := v.ReadJournal(ctx, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// merged returns the item of an hour's breakdown or visitors as it would be if a step had merged the journal into it: with
// the mark of the last entry. A breakdown lacks the entries of later steps than its mark. The visitors may lack those of any entry: a
// step under settings without breakdowns reads no journal, and writes the visitors beside it. An item that does not decode is left as
// it is, for the comparison to say so.
func (v *journals) merged(s Subject, it sinks.Item) sinks.Item {
	v.mu.Lock()
	j := v.of[lateDateOf(s)]
	v.mu.Unlock()
	if it == nil || j == nil {
		return it
	}
	name := sinks.AttrMark(checkpoint.LaneStats, s.TP)
	mark := it[name].Int()
	after, replay := int64(0), mergedVisitors
	if s.Kind == finding.KindBreakdown {
		after, replay = mark, mergedBreakdown
	}
	logs, last := j.After(s.TP, s.At, after, 1<<62)
	if len(logs) == 0 {
		return it
	}
	part, err := replay(it[sinks.AttrPart].Bytes(), logs)
	if err != nil {
		return it
	}
	it = maps.Clone(it)
	it[sinks.AttrPart], it[name] = sinks.Bytes(part), sinks.Int(max(mark, last))
	return it
}

func mergedBreakdown(part []byte, logs [][]byte) ([]byte, error) {
	b := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(part, b); err != nil {
		return nil, err
	}
	for _, ops := range logs {
		if err := b.Replay(ops, nil); err != nil {
			return nil, err
		}
	}
	return sketch.PackBreakdown(b)
}

func mergedVisitors(part []byte, logs [][]byte) ([]byte, error) {
	u := sketch.NewHour()
	if err := u.UnmarshalBinary(part); err != nil {
		return nil, err
	}
	for _, ops := range logs {
		if err := (*sketch.Breakdown)(nil).Replay(ops, func(v uint64) { u.Add(v) }); err != nil {
			return nil, err
		}
	}
	return u.AppendBinary(nil)
}
