package verify

import (
	"fmt"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// compareFunnel compares a funnel with its key and with itself. Its definition follows from nothing else in the table or the log.
func (v *scanner) compareFunnel(site string, it sinks.Item) {
	c := finding.CompareItem(finding.KindFunnel, it)
	id := it[sinks.AttrFunnelID].Str()
	c.Text(sinks.AttrSiteID, site)
	c.Ignore(sinks.AttrFunnelID)
	if v.Keys.Funnel(site, id) != it.Key() {
		c.Differ(sinks.AttrFunnelID, finding.Show(it[sinks.AttrFunnelID]), "the funnel that the key spells")
	}
	c.KindIs(sinks.AttrName, sinks.String)
	c.KindIs(sinks.AttrChangedBy, sinks.String)
	c.Between(sinks.AttrStrict, 0, 1)
	c.Between(sinks.AttrVersion, 1, 1<<53)
	c.Between(sinks.AttrCreatedAt, 1, it[sinks.AttrChangedAt].Int())
	c.Between(sinks.AttrChangedAt, 1, v.Now()*1000+count.DayMs)
	c.KindIs(sinks.AttrWindowMs, sinks.Number)
	c.Ignore(sinks.AttrSteps)
	if _, err := sites.ParseFunnelSteps(it[sinks.AttrSteps].Str()); err != nil {
		c.Differ(sinks.AttrSteps, finding.Show(it[sinks.AttrSteps]), fmt.Sprintf("steps of a funnel: %v", err))
	} else if _, err := sites.ReadFunnel(it); err != nil {
		c.Differ(sinks.AttrWindowMs, finding.Show(it[sinks.AttrWindowMs]), fmt.Sprintf("a funnel: %v", err))
	}
	c.Common(sinks.EntityFunnel, site)
	v.Add(c)
}
