package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// AnnotationsInput asks for annotations, and for what alerts found.
type AnnotationsInput struct {
	SiteParams
	ZoneParams
	RecentParams
	ConsistentParams
}

func (in *AnnotationsInput) reading(a api) reading { return a.open(in.Site) }

func addAnnotations(a api) {
	get(a, operation{"list-annotations", annotationsPath, "Annotations of a site",
		"By their instants, the newest first. As `footfall annotate list`."},
		within(a, func(ctx context.Context, r *query.Reader, in *AnnotationsInput, s span) (query.AnnotationsAnswer, error) {
			return r.Annotations(ctx, query.AnnotationsParams{Site: in.Site, From: s.From, To: s.To, Consistent: in.Consistent,
				Paging: in.paging()})
		}))
	addAnnotate(a)
}

func addAlerts(a api) {
	get(a, operation{"list-alerts", "/sites/{site}/alerts", "Alerts of a site, and what they found",
		"By hour, the newest first. As `footfall query alerts`."},
		within(a, func(ctx context.Context, r *query.Reader, in *AnnotationsInput, s span) (query.AlertsAnswer, error) {
			return r.Alerts(ctx, query.AlertsParams{Site: in.Site, From: s.From, To: s.To, Consistent: in.Consistent, Paging: in.paging()})
		}))
}

// NewAnnotation is an annotation that is to be created.
type NewAnnotation struct {
	At   time.Time `json:"at" doc:"The instant, RFC 3339"`
	Text string    `json:"text" minLength:"1" maxLength:"1000" doc:"What happened: at most 1,000 bytes of UTF-8 of any characters"`
}

// AnnotateInput creates an annotation.
type AnnotateInput struct {
	Site string `path:"site" doc:"Id of the site"`
	Body NewAnnotation
}

// maxAnnotation is the greatest size of a request, in bytes: each byte of a text may be spelled with six.
const maxAnnotation = 6*annotations.MaxText + 1000

// CreatedAnnotation is the answer to AnnotateInput.
type CreatedAnnotation struct{ Body query.AnnotationAnswer }

// DeleteAnnotationInput deletes an annotation.
type DeleteAnnotationInput struct {
	Site       string `path:"site" doc:"Id of the site"`
	Annotation string `path:"annotation" doc:"Id of the annotation"`
}

func addAnnotate(a api) {
	huma.Register(a.API, huma.Operation{OperationID: "create-annotation", Method: http.MethodPost, Path: base + annotationsPath,
		Summary: "Create an annotation", Description: "Needs the right annotate. As `footfall annotate create`.",
		DefaultStatus: http.StatusCreated, MaxBodyBytes: maxAnnotation, Errors: slices.Concat(faults,
			[]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType})},
		func(ctx context.Context, in *AnnotateInput) (*CreatedAnnotation, error) {
			site := links.Unspelled(in.Site)
			known, err := a.reader.Site(ctx, query.SiteParams{Site: site})
			if err == nil {
				err = absent(known)
			}
			if err != nil {
				return nil, a.annotationFault(ctx, err)
			}
			if err := (annotations.Annotation{Site: site, At: in.Body.At.UTC(), Text: in.Body.Text}).Validate(); err != nil {
				return nil, problem.New(http.StatusUnprocessableEntity, err.Error())
			}
			created, err := a.notes(ctx).Create(ctx, site, in.Body.At, in.Body.Text)
			if err != nil {
				return nil, a.annotationFault(ctx, err)
			}
			answer, err := query.ReadAnnotation(created.Item())
			return &CreatedAnnotation{answer}, err
		})
	huma.Register(a.API, huma.Operation{OperationID: "delete-annotation", Method: http.MethodDelete,
		Path: base + annotationsPath + "/{annotation}", Summary: "Delete an annotation",
		Description: "Needs the right annotate. As `footfall annotate delete`.", DefaultStatus: http.StatusNoContent, Errors: faults},
		func(ctx context.Context, in *DeleteAnnotationInput) (*struct{}, error) {
			err := annotations.Delete(ctx, a.table, links.Unspelled(in.Site), links.Unspelled(in.Annotation))
			return nil, a.annotationFault(ctx, err)
		})
}

// notes is where annotations are written, by the credential of the request.
func (s *server) notes(ctx context.Context) *annotations.Store {
	g := access.Of(ctx)
	by := string(g.Kind)
	if g.Name != by {
		by += " " + g.Name
	}
	return &annotations.Store{Table: s.table, By: by, Now: s.now}
}

// annotationFault is the problem of a write; nil: there is none.
func (s *server) annotationFault(ctx context.Context, err error) error {
	_, unknown := errors.AsType[*entered.UnknownError](err)
	_, full := errors.AsType[*entered.FullError](err)
	switch {
	case err == nil:
		return nil
	case unknown:
		return problem.New(http.StatusNotFound, err.Error())
	case full:
		return problem.New(http.StatusUnprocessableEntity, err.Error())
	case errors.Is(err, sinks.ErrDenied):
		return problem.New(http.StatusServiceUnavailable, "the role of this server may not write annotations: docs/iam.md says what it needs")
	}
	return s.problemOf(ctx, err)
}
