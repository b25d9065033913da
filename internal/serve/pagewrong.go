package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// A wrongForm is a problem of a field of a form, with a page that shows it beside the field.
type wrongForm struct {
	*problem.Problem
	document []byte
}

// Unwrap returns the problem, which programs get.
func (w *wrongForm) Unwrap() error { return w.Problem }

// rangeNames are the parameters of the form of a range, as problems name them. compare has a form of its own.
var rangeNames = []string{"from", "to", "period", links.LastDayParam, "tz", "by"}

// site shows a site. What is wrong with the fields of its ranges is said beside them, on the page of the range that was shown before, under
// the same filters.
func (ps pages) site(ctx context.Context, r request, w io.Writer) error {
	given := maps.Clone(r.values)
	err := ps.siteOf(ctx, r, w, nil)
	if _, leads := errors.AsType[*redirect](err); leads && given[links.LastDayParam] != "" {
		// The address that it leads to does not say which range was shown.
		hours := api{server: ps.server}.hours(links.Unspelled(r.PathValue("site")))
		if _, wrong := zoneParams(r.values).read(ctx, ps.reader, hours); wrong != nil {
			err = wrong
		}
	}
	wrong := wrongField(err)
	if wrong == nil {
		return err
	}
	was, ok := withoutWrong(r, given, wrong)
	if !ok {
		return err
	}
	var document bytes.Buffer
	if ps.siteOf(ctx, was, &document, wrong) != nil {
		return err // Something else is wrong, too.
	}
	return &wrongForm{ps.problemOf(ctx, err), document.Bytes()}
}

// wrongField is the field of a form that a problem is about; nil: it is about something else.
func wrongField(err error) *page.WrongField {
	name, value, message := "", "", ""
	if p, ok := errors.AsType[*problem.Problem](err); ok && len(p.Errors) == 1 {
		name, message = strings.TrimPrefix(p.Errors[0].Location, "query."), p.Errors[0].Message
		value, _ = p.Errors[0].Value.(string)
	} else if p, ok := errors.AsType[*query.ParamError](err); ok {
		name, value, message = parameterOf(p.Param), p.Value, p.Remedy
	}
	if name != "compare" && !slices.Contains(rangeNames, name) || name == "by" {
		return nil
	}
	if name == "compare" { // What pages take besides.
		message = "write " + links.NoComparison + " for no comparison, or " + message
	}
	if value != "" {
		message = problem.Quote(value) + ": " + message
	}
	return &page.WrongField{Name: name, Message: message}
}

// withoutWrong is a request for the range that was shown before, as the form says, or for the default one. ok is false if the form cannot
// be read.
func withoutWrong(r request, given map[string]string, wrong *page.WrongField) (was request, ok bool) {
	wrong.Values = given
	values := url.Values{}
	for name, value := range given {
		values.Set(name, value)
	}
	values[links.WhereParam] = r.URL.Query()[links.WhereParam]
	kept, err := url.ParseQuery(given[links.KeptParam])
	if err != nil {
		return was, false
	}
	values[links.WhereParam] = append(values[links.WhereParam], kept[links.WhereParam]...)
	values.Del(links.KeptParam)
	if wrong.Name == "compare" {
		values.Del("compare")
	} else {
		shown, err := url.ParseQuery(given[links.ShownParam])
		if err != nil {
			return was, false
		}
		for _, name := range rangeNames {
			if values.Del(name); shown.Get(name) != "" {
				values.Set(name, shown.Get(name))
			}
		}
	}
	values.Del(links.ShownParam)
	address := *r.URL
	address.RawQuery = values.Encode()
	asked := r.Clone(r.Context())
	asked.URL = &address
	own := limited(r.Context(), single(values), lists.Params)
	return request{asked, own, r.read}, true
}

// shownProblem is the problem of an error, and the page that shows it; nil: there is none yet.
func (ps pages) shownProblem(ctx context.Context, err error) (p *problem.Problem, document []byte) {
	if wrong, ok := errors.AsType[*wrongForm](err); ok && wrong.Status == http.StatusUnprocessableEntity {
		return wrong.Problem, wrong.document
	}
	return ps.problemOf(ctx, err), nil
}
