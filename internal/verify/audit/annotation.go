package audit

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// ScanAnnotations compares the annotations of sites with their keys and with themselves. They follow from nothing else.
func (v *Audit) ScanAnnotations(ctx context.Context) error {
	for it, err := range v.Items(ctx, sinks.Query{PK: sinks.AnnotationsPK}) {
		if err != nil {
			return fmt.Errorf("read the annotations: %w", err)
		}
		v.compareAnnotation(it)
	}
	return nil
}

func (v *Audit) compareAnnotation(it sinks.Item) {
	c := finding.CompareItem(finding.KindAnnotation, it)
	site, id := it[sinks.AttrSiteID].Str(), it[sinks.AttrAnnotationID]
	c.Ignore(sinks.AttrSiteID)
	c.KindIs(sinks.AttrAnnotationID, sinks.String)
	if v.Keys.Annotation(site, id.Str()) != it.Key() {
		c.Differ(sinks.AttrAnnotationID, finding.Show(id), "the site and the annotation that the key spells")
	}
	c.KindIs(sinks.AttrAt, sinks.Number)
	c.KindIs(sinks.AttrText, sinks.String)
	c.KindIs(sinks.AttrCreatedBy, sinks.String)
	c.Between(sinks.AttrCreatedAt, 1, v.Now()*1000+count.DayMs)
	if _, err := annotations.Read(it); err != nil {
		c.Differ(sinks.AttrText, finding.Show(it[sinks.AttrText]), fmt.Sprintf("an annotation that can be read: %v", err))
	}
	c.Common(sinks.EntityAnnotation, site)
	v.Add(c)
}
