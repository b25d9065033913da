package query

import (
	"context"

	"github.com/footfall/footfall/query/internal/notes"
	"github.com/footfall/footfall/query/noted"
	"github.com/footfall/footfall/sinks"
)

// What package noted declares is part of this package, too.
type (
	AnnotationsParams = noted.AnnotationsParams
	AnnotationsAnswer = noted.AnnotationsAnswer
	Annotation        = noted.Annotation
	AnnotationAnswer  = noted.AnnotationAnswer
	AlertsParams      = noted.AlertsParams
	AlertsAnswer      = noted.AlertsAnswer
)

// ReadAnnotation decodes the item of an annotation, such as one that was just written. An item that is damaged is an error.
func ReadAnnotation(it sinks.Item) (AnnotationAnswer, error) { return notes.Read(it) }

// Annotations lists the annotations of a site.
func (r *Reader) Annotations(ctx context.Context, p AnnotationsParams) (AnnotationsAnswer, error) {
	return ask(ctx, r, p, notes.Annotations, "annotations of site %q", p.Site)
}

// Alerts lists the alerts of a site, and what they found.
func (r *Reader) Alerts(ctx context.Context, p AlertsParams) (AlertsAnswer, error) {
	return ask(ctx, r, p, notes.Alerts, "alerts of site %q", p.Site)
}
