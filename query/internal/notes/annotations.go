package notes

import (
	"context"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/noted"
	"github.com/footfall/footfall/sinks"
)

// Read decodes the item of an annotation, such as one that was just written. An item that is damaged is an error.
func Read(it sinks.Item) (noted.AnnotationAnswer, error) {
	a, err := read(it)
	return noted.AnnotationAnswer{Site: it[sinks.AttrSiteID].Str(), Annotation: a}, err
}

func read(it sinks.Item) (noted.Annotation, error) {
	a, err := annotations.Read(it)
	return noted.Annotation{AnnotationID: a.ID, At: a.At, Text: a.Text, CreatedAt: a.CreatedAt, CreatedBy: a.CreatedBy}, err
}

// Annotations answers p.
func Annotations(ctx context.Context, t *sitetable.Store, p noted.AnnotationsParams) (noted.AnnotationsAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return noted.AnnotationsAnswer{}, err
	}
	list, err := sitetable.NewListing(p.Paging, "annotations", p.Site)
	if err != nil {
		return noted.AnnotationsAnswer{}, err
	}
	s, err := list.Span(p.From, p.To)
	if err != nil {
		return noted.AnnotationsAnswer{}, err
	}
	pk, prefix := t.Keys.Annotations(p.Site)
	q := sinks.Query{From: prefix + sinks.InstantBound(s.From), To: prefix + sinks.InstantBound(s.To-1) + "~", Desc: p.Desc,
		Consistent: p.Consistent}
	a := noted.AnnotationsAnswer{Site: p.Site}
	a.From, a.To = s.Ends()
	walk := t.Walk(q, list.Limit, list.Cursor.Position(), pk)
	if a.Annotations, a.Cursor, err = sitetable.Definitions(ctx, walk, list, s, sitetable.EveryItem, read); err != nil {
		return noted.AnnotationsAnswer{}, err
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Annotations) > 0)
	return a, err
}
