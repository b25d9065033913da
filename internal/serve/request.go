package serve

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/internal/serve/reads"
)

// A request is what a page is asked for.
type request struct {
	*http.Request
	values map[string]string // of its parameters, all known and given once
	read   *reads.Meter      // read units so far
}

// A redirect is an answer that leads to another page.
type redirect struct{ to string }

func (r *redirect) Error() string { return "see " + r.to }

// refused returns the problem of parameters that a page does not have, or that are given twice or without a value.
func refused(r *http.Request, known []string) error {
	names := make(map[string]*huma.Schema)
	for _, name := range known {
		names[name] = nil
	}
	for _, name := range []string{links.WhereParam, links.ThroughParam} {
		if slices.Contains(known, name) {
			names[name] = &huma.Schema{Type: huma.TypeArray}
		}
	}
	errs := wrongParams(r.URL.RawQuery, names)
	if len(errs) == 0 {
		return nil
	}
	p := problem.New(http.StatusUnprocessableEntity, "The address of the page is wrong.")
	for _, err := range errs {
		p.Add(err)
	}
	return p
}

// single returns the first value of each parameter.
func single(values url.Values) map[string]string {
	of := make(map[string]string, len(values))
	for name := range values {
		of[name] = values.Get(name)
	}
	return of
}

// limited has a page that names no range show the one of the grant, and its links name it.
func limited(ctx context.Context, values map[string]string, known []string) map[string]string {
	l := access.Of(ctx).Limits
	if l.Ranged() && slices.Contains(known, "from") && values["from"]+values["to"]+values["period"] == "" {
		for name, value := range map[string]string{"from": l.From, "to": l.To, "period": l.Period} {
			if value != "" {
				values[name] = value
			}
		}
	}
	return values
}
