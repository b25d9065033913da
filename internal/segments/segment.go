package segments

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/sinks"
)

// MaxBytes is the greatest size of the filters of a segment, as texts. It bounds what reading all segments of a site costs.
const MaxBytes = 4000

// MaxPerSite is how many segments a site has at most.
const MaxPerSite = 50

// A Segment is filters of a site with a name.
type Segment struct {
	Name      string    `json:"segment"`
	Where     []string  `json:"where"` // 1 to 10 filters, as filters.ParseCondition reads them; all must hold
	CreatedAt time.Time `json:"createdAt"`
	CreatedBy string    `json:"createdBy"` // for people
}

// SegmentAnswer is one segment of a site.
type SegmentAnswer struct {
	Site string `json:"siteId"`
	Segment
}

// SegmentsAnswer lists the segments of a site by name.
type SegmentsAnswer struct {
	Site      string    `json:"siteId"`
	SiteKnown bool      `json:"-"` // it has events, or was created
	Segments  []Segment `json:"segments"`
}

// UnknownSite reports whether the site has no events and was not created.
func (a SegmentsAnswer) UnknownSite() bool { return !a.SiteKnown }

// Rows are the segments.
func (a SegmentsAnswer) Rows() any { return a.Segments }

// Conditions are the filters of the segment.
func (s Segment) Conditions() ([]filters.Condition, error) { return filters.ParseConditions(s.Where) }

// Validate reports what is wrong with a segment that is to be created.
func (s Segment) Validate() error {
	if err := entered.CheckID("segment", s.Name); err != nil {
		return err
	}
	where, err := s.Conditions()
	if err == nil {
		err = filters.Check(where)
	}
	if n := len(strings.Join(s.Where, "")); err == nil && n > MaxBytes {
		err = fmt.Errorf("segment %q: its filters have %d bytes: shorten them to %d", s.Name, n, MaxBytes)
	}
	return err
}

// item is the item of a segment.
func (a SegmentAnswer) item() sinks.Item {
	it := entered.Head(sinks.SegmentKey(a.Site, a.Name), sinks.EntitySegment, a.Site)
	it[sinks.AttrSegment], it[sinks.AttrWhere] = sinks.Str(a.Name), sinks.Strings(a.Where)
	it[sinks.AttrCreatedAt], it[sinks.AttrCreatedBy] = sinks.Int(a.CreatedAt.UnixMilli()), sinks.Str(a.CreatedBy)
	return it
}

// Read reads the item of a segment. One that is damaged, or has filters that this release does not know, is an error.
func Read(it sinks.Item) (a SegmentAnswer, err error) {
	a.Site, a.Name, a.Where = it[sinks.AttrSiteID].Str(), it[sinks.AttrSegment].Str(), slices.Clone(it[sinks.AttrWhere].Strings())
	a.CreatedAt, a.CreatedBy = time.UnixMilli(it[sinks.AttrCreatedAt].Int()).UTC(), it[sinks.AttrCreatedBy].Str()
	if err := a.Validate(); err != nil {
		return SegmentAnswer{}, fmt.Errorf("segment %q of site %q: %w; a newer release may have written it; footfall segment delete removes it",
			a.Name, a.Site, err)
	}
	return a, nil
}
