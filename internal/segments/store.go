package segments

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// patience is how often reads that the table refuses for lack of capacity, or does not answer, are repeated, as those of questions are.
var patience = retry.Policy{First: 50 * time.Millisecond, Tries: 6}

// ListParams ask for the segments of a site.
type ListParams struct {
	Site       string
	Consistent bool // strongly consistent reads, at twice the cost
}

// All returns the segments of a site by name, which are at most some MaxPerSite.
func All(ctx context.Context, t sinks.Table, p ListParams) (all []Segment, err error) {
	q := sinks.Query{PK: sinks.Decided(p.Site), Prefix: sinks.SegmentPrefix, Consistent: p.Consistent}
	for it, err := range sinks.Items(ctx, patience.Reads(t), q) {
		if err != nil {
			return nil, fmt.Errorf("segments of site %q: %w", p.Site, err)
		}
		one, err := Read(it)
		if err != nil {
			return nil, err
		}
		all = append(all, one.Segment)
	}
	return all, nil
}

// List is All with whether the site is known.
func List(ctx context.Context, t sinks.Table, p ListParams) (SegmentsAnswer, error) {
	all, err := All(ctx, t, p)
	if err != nil || len(all) > 0 {
		return SegmentsAnswer{p.Site, len(all) > 0, all}, err
	}
	found, err := sinks.Get(ctx, patience.Reads(t), sinks.Keys{}.SiteEntry(p.Site), sinks.Keys{}.Metadata(p.Site))
	if err != nil {
		return SegmentsAnswer{}, fmt.Errorf("site %q: look it up: %w", p.Site, err)
	}
	return SegmentsAnswer{p.Site, len(found) > 0, []Segment{}}, nil
}

// Find returns a segment of a site as it is now. One that is not there is a [ranges.ParamError], which names those that are.
func Find(ctx context.Context, t sinks.Table, site, name string) (SegmentAnswer, error) {
	key := sinks.SegmentKey(site, name)
	found, err := sinks.Get(ctx, patience.Reads(t), key)
	if err != nil {
		return SegmentAnswer{}, fmt.Errorf("segment %q of site %q: %w", name, site, err)
	}
	if found[key] != nil {
		return Read(found[key])
	}
	all, err := All(ctx, t, ListParams{site, true})
	if err != nil {
		return SegmentAnswer{}, err
	}
	remedy := "the site has no segments: create one with footfall segment create, or leave it out"
	if names := Names(all); len(names) > 0 {
		remedy = "the site has no such segment: " + near.Hint(name, names) + "choose " + strings.Join(names, ", ")
	}
	return SegmentAnswer{}, &ranges.ParamError{Param: "segment", Value: name, Remedy: remedy}
}

// Resolve returns the conditions of a segment of a site as it is now. Errors are those of [Find].
func Resolve(ctx context.Context, t sinks.Table, site, name string) ([]filters.Condition, error) {
	a, err := Find(ctx, t, site, name)
	if err != nil {
		return nil, err
	}
	return a.Conditions()
}

// Under returns the filters of a segment, and after them those of a question that it does not have; name "": those of the question. Errors
// are those of [Find], and of filters that cannot be read.
func Under(ctx context.Context, t sinks.Table, site, name string, where []string) ([]string, error) {
	if name == "" {
		return where, nil
	}
	own, err := filters.ParseConditions(where)
	if err != nil {
		return nil, err
	}
	of, err := Find(ctx, t, site, name)
	if err != nil {
		return nil, err
	}
	all := of.Where
	for _, text := range filters.Texts(own) {
		if !slices.Contains(of.Where, text) {
			all = append(all, text)
		}
	}
	return all, nil
}

// Names are the names of segments.
func Names(all []Segment) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// Store writes the segments of a table. Safe for concurrent use.
type Store struct {
	Table sinks.Table
	By    string // who writes, for people
	Now   func() time.Time
}

// Create keeps a segment of a site that is known. If it is there with the same filters, nothing is written; with others, that is an error.
// So is one more than MaxPerSite; calls at the same time may exceed the bound by as many as they are.
func (s *Store) Create(ctx context.Context, site, name string, where []string) (SegmentAnswer, error) {
	conditions, err := filters.ParseConditions(where)
	if err != nil {
		return SegmentAnswer{}, err
	}
	next := SegmentAnswer{Site: site, Segment: Segment{Name: name, Where: filters.Texts(conditions),
		CreatedAt: time.UnixMilli(s.Now().UnixMilli()).UTC(), CreatedBy: s.By}}
	if err := next.Validate(); err != nil {
		return SegmentAnswer{}, err
	}
	if err := sites.CheckKnown(ctx, s.Table, sinks.Keys{}, site); err != nil {
		return SegmentAnswer{}, err
	}
	all, err := All(ctx, s.Table, ListParams{site, true})
	if err != nil {
		return SegmentAnswer{}, err
	}
	if len(all) >= MaxPerSite && !slices.Contains(Names(all), name) {
		return SegmentAnswer{}, fmt.Errorf("site %q has %d segments, which is as many as a site may have: delete some; "+
			"`footfall segment list` lists them", site, MaxPerSite)
	}
	r, err := s.Table.Put(ctx, sinks.Put{Item: next.item(), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return SegmentAnswer{}, fmt.Errorf("create segment %q of site %q: %w", name, site, err)
	}
	if !r.Refused {
		return next, nil
	}
	held, err := Read(r.Item)
	if err == nil && !slices.Equal(held.Where, next.Where) {
		err = fmt.Errorf("site %q already has a segment %q, with other filters: %s. Nothing was changed: `footfall segment delete` deletes it, "+
			"or choose another name", site, name, strings.Join(held.Where, " and "))
	}
	return held, err
}

// Delete removes a segment. One that is not there is an error, also when an earlier call has removed it.
func (s *Store) Delete(ctx context.Context, site, name string) error {
	r, err := s.Table.Delete(ctx, sinks.Delete{Key: sinks.SegmentKey(site, name), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}})
	switch {
	case err != nil:
		return fmt.Errorf("delete segment %q of site %q: %w: repeating it is safe", name, site, err)
	case r.Refused:
		return fmt.Errorf("site %q has no segment %q: `footfall segment list` lists its segments", site, name)
	}
	return nil
}
