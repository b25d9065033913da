package segments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// patience is how often reads that the table refuses for lack of capacity, or does not answer, are repeated, as those of questions are.
var patience = retry.Policy{First: 50 * time.Millisecond, Tries: 6}

var kind = entered.Kind[SegmentAnswer]{Name: "segment", Command: "segment", Max: MaxPerSite, Key: sinks.SegmentKey,
	List: func(site string) (pk, prefix string) { return sinks.Decided(site), sinks.SegmentPrefix }, Item: SegmentAnswer.item, Read: Read,
	Remedy: "`footfall segment delete` deletes it, or choose another name",
	Differ: func(held, next SegmentAnswer) string {
		if slices.Equal(held.Where, next.Where) {
			return ""
		}
		return "with other filters: " + strings.Join(held.Where, " and ")
	}}

// ListParams ask for the segments of a site.
type ListParams struct {
	Site       string
	Consistent bool // strongly consistent reads, at twice the cost
}

// All returns the segments of a site by name, which are at most some MaxPerSite.
func All(ctx context.Context, t sinks.Table, p ListParams) (all []Segment, err error) {
	for one, err := range kind.Of(ctx, patience.Reads(t), p.Site, p.Consistent) {
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
	a, err := kind.Get(ctx, patience.Reads(t), site, name)
	if _, unknown := errors.AsType[*entered.UnknownError](err); !unknown {
		return a, err
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
type Store entered.Writer

// Create keeps a segment of a site that is known, unless the site has MaxPerSite. If it is there with the same filters, nothing is written;
// with others, that is an error.
func (s *Store) Create(ctx context.Context, site, name string, where []string) (SegmentAnswer, error) {
	conditions, err := filters.ParseConditions(where)
	if err != nil {
		return SegmentAnswer{}, err
	}
	next := SegmentAnswer{Site: site, Segment: Segment{Name: name, Where: filters.Texts(conditions), CreatedAt: entered.Instant(s.Now()),
		CreatedBy: s.By}}
	if err := next.Validate(); err != nil {
		return SegmentAnswer{}, err
	}
	if err := sinks.NeedFormat(ctx, s.Table, fmt.Sprintf("segment %q", name), sinks.FormatOfLists); err != nil {
		return SegmentAnswer{}, err
	}
	return kind.Create(ctx, s.Table, site, name, next)
}

// Delete removes a segment. One that is not there is an *entered.UnknownError.
func Delete(ctx context.Context, t sinks.Table, site, name string) error {
	return kind.Delete(ctx, t, site, name)
}
