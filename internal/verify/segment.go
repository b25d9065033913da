package verify

import (
	"fmt"

	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// compareSegment compares a segment with its key and with itself. Its filters follow from nothing else in the table or the log.
func (v *scanner) compareSegment(site string, it sinks.Item) {
	c := finding.CompareItem(finding.KindSegment, it)
	name := it[sinks.AttrSegment]
	c.Text(sinks.AttrSiteID, site)
	c.Ignore(sinks.AttrSegment)
	if sinks.SegmentKey(site, name.Str()) != it.Key() {
		c.Differ(sinks.AttrSegment, finding.Show(name), "the segment that the key spells")
	}
	c.Between(sinks.AttrCreatedAt, 1, v.Now()*1000+count.DayMs)
	c.KindIs(sinks.AttrCreatedBy, sinks.String)
	c.Ignore(sinks.AttrWhere)
	if _, err := segments.Read(it); err != nil {
		c.Differ(sinks.AttrWhere, finding.Show(it[sinks.AttrWhere]), fmt.Sprintf("a segment: %v", err))
	}
	c.Common(sinks.EntitySegment, site)
	v.Add(c)
}
