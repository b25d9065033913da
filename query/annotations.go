package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// AnnotationsParams ask for the annotations of a site.
type AnnotationsParams struct {
	Site       string
	From, To   time.Time // instants that they are about; To is exclusive; zero: open
	Consistent bool      // strongly consistent reads, at twice the cost
	Paging
}

// AnnotationsAnswer lists annotations in the order of their instants.
type AnnotationsAnswer struct {
	Site string `json:"siteId"`
	Known
	From        *time.Time   `json:"from"` // null: open
	To          *time.Time   `json:"to"`   // null: open
	Annotations []Annotation `json:"annotations"`
	Cursor      string       `json:"cursor"` // of the next page; "": this is the last
}

// Annotation is a note about an instant of a site.
type Annotation struct {
	AnnotationID string    `json:"annotationId"`
	At           time.Time `json:"at"`
	Text         string    `json:"text"` // of any characters: show it as text
	CreatedAt    time.Time `json:"createdAt"`
	CreatedBy    string    `json:"createdBy"`
}

// AnnotationAnswer is one annotation.
type AnnotationAnswer struct {
	Site string `json:"siteId"`
	Annotation
}

// ReadAnnotation decodes the item of an annotation, such as one that was just written. An item that is damaged is an error.
func ReadAnnotation(it sinks.Item) (AnnotationAnswer, error) {
	a, err := annotations.Read(it)
	return AnnotationAnswer{a.Site, Annotation{a.ID, a.At, a.Text, a.CreatedAt, a.CreatedBy}}, err
}

// Annotations lists the annotations of a site.
func (r *Reader) Annotations(ctx context.Context, p AnnotationsParams) (AnnotationsAnswer, error) {
	return ask(ctx, r, p, answerAnnotations, "annotations of site %q", p.Site)
}

func answerAnnotations(ctx context.Context, t *sitetable.Store, p AnnotationsParams) (AnnotationsAnswer, error) {
	if err := checkID("site", p.Site); err != nil {
		return AnnotationsAnswer{}, err
	}
	list, err := sitetable.NewListing(p.Paging, "annotations", p.Site)
	if err != nil {
		return AnnotationsAnswer{}, err
	}
	s, err := list.Span(p.From, p.To)
	if err != nil {
		return AnnotationsAnswer{}, err
	}
	pk, prefix := t.Keys.Annotations(p.Site)
	q := sinks.Query{From: prefix + sinks.InstantBound(s.From), To: prefix + sinks.InstantBound(s.To-1) + "~", Desc: p.Desc,
		Consistent: p.Consistent}
	a := AnnotationsAnswer{Site: p.Site, Annotations: []Annotation{}}
	a.From, a.To = s.Ends()
	found, err := t.Walk(q, list.Limit, list.Cursor.Position(), pk).Collect(ctx, list.Limit, sitetable.EveryItem)
	if err != nil {
		return AnnotationsAnswer{}, err
	}
	for _, it := range found.Items {
		one, err := ReadAnnotation(it)
		if err != nil {
			return AnnotationsAnswer{}, err
		}
		a.Annotations = append(a.Annotations, one.Annotation)
	}
	if found.More {
		a.Cursor = list.Next(found.Last, s)
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Annotations) > 0)
	return a, err
}
