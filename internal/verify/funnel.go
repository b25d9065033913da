package verify

import (
	"fmt"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// compareFunnel compares a funnel with its key and with itself. Its definition follows from nothing else in the table or the log.
func (v *scanner) compareFunnel(site string, it sinks.Item) {
	c := compareItem(kindFunnel, it)
	id := it[sinks.AttrFunnelID].Str()
	c.text(sinks.AttrSiteID, site)
	c.ignore(sinks.AttrFunnelID)
	if v.keys.Funnel(site, id) != it.Key() {
		c.differ(sinks.AttrFunnelID, show(it[sinks.AttrFunnelID]), "the funnel that the key spells")
	}
	c.kindIs(sinks.AttrName, sinks.String)
	c.kindIs(sinks.AttrChangedBy, sinks.String)
	c.between(sinks.AttrStrict, 0, 1)
	c.between(sinks.AttrVersion, 1, 1<<53)
	c.between(sinks.AttrCreatedAt, 1, it[sinks.AttrChangedAt].Int())
	c.between(sinks.AttrChangedAt, 1, v.now()*1000+dayMs)
	c.kindIs(sinks.AttrWindowMs, sinks.Number)
	c.ignore(sinks.AttrSteps)
	if _, err := sites.ParseFunnelSteps(it[sinks.AttrSteps].Str()); err != nil {
		c.differ(sinks.AttrSteps, show(it[sinks.AttrSteps]), fmt.Sprintf("steps of a funnel: %v", err))
	} else if _, err := sites.ReadFunnel(it); err != nil {
		c.differ(sinks.AttrWindowMs, show(it[sinks.AttrWindowMs]), fmt.Sprintf("a funnel: %v", err))
	}
	c.common(sinks.EntityFunnel, site)
	v.add(c)
}

// kindIs compares the type of an attribute that must be there, whatever its value.
func (c *comparison) kindIs(attr string, kind sinks.Kind) {
	c.ignore(attr)
	if c.item[attr].Kind() != kind {
		c.differ(attr, show(c.item[attr]), map[sinks.Kind]string{sinks.String: "a text", sinks.Number: "a number", sinks.Binary: "bytes"}[kind])
	}
}

// between compares a number that must be there with the least and the greatest that it can be.
func (c *comparison) between(attr string, least, most int64) {
	c.kindIs(attr, sinks.Number)
	if n := c.item[attr]; n.Kind() == sinks.Number && (n.Int() < least || n.Int() > most) {
		c.differ(attr, show(n), fmt.Sprintf("%d to %d", least, most))
	}
}
