package verify

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/sinks"
)

// scanAnnotations compares the annotations of sites with their keys and with themselves. They follow from nothing else.
func (v *chainAudit) scanAnnotations(ctx context.Context) error {
	for it, err := range v.items(ctx, sinks.Query{PK: sinks.AnnotationsPK}) {
		if err != nil {
			return fmt.Errorf("read the annotations: %w", err)
		}
		v.compareAnnotation(it)
	}
	return nil
}

func (v *chainAudit) compareAnnotation(it sinks.Item) {
	c := compareItem(kindAnnotation, it)
	site, id := it[sinks.AttrSiteID].Str(), it[sinks.AttrAnnotationID]
	c.ignore(sinks.AttrSiteID)
	c.kindIs(sinks.AttrAnnotationID, sinks.String)
	if v.keys.Annotation(site, id.Str()) != it.Key() {
		c.differ(sinks.AttrAnnotationID, show(id), "the site and the annotation that the key spells")
	}
	c.kindIs(sinks.AttrAt, sinks.Number)
	c.kindIs(sinks.AttrText, sinks.String)
	c.kindIs(sinks.AttrCreatedBy, sinks.String)
	c.between(sinks.AttrCreatedAt, 1, v.now()*1000+dayMs)
	if _, err := annotations.Read(it); err != nil {
		c.differ(sinks.AttrText, show(it[sinks.AttrText]), fmt.Sprintf("an annotation that can be read: %v", err))
	}
	c.common(sinks.EntityAnnotation, site)
	v.add(c)
}
