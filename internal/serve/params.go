package serve

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// PageParams are the parameters of a list that comes in pages.
type PageParams struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"Max. rows of the page"`
	Desc   bool   `query:"desc" doc:"Descending order"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
}

// FormatParams is the parameter that every question has.
type FormatParams struct {
	Format string `query:"format" enum:"json,csv,ndjson" doc:"Format of the answer, instead of the Accept header. CSV and NDJSON are the rows of the answer without its totals"`
}

// SiteParams name a site.
type SiteParams struct {
	Site string `path:"site" doc:"Id of the site"`
	FormatParams
}

// checkParams refuses parameters that an operation does not have, and those that are given twice or without a value: a figure that
// answers another question than the one that was meant looks like any other.
func checkParams(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		var known []string
		for _, p := range ctx.Operation().Parameters {
			if p.In == "query" {
				known = append(known, p.Name)
			}
		}
		u := ctx.URL()
		if errs := wrongParams(u.RawQuery, known); len(errs) > 0 {
			huma.WriteErr(api, ctx, http.StatusUnprocessableEntity, "parameters are wrong: errors names them", errs...)
			return
		}
		next(ctx)
	}
}

// wrongParams returns what is wrong with a query string, by the names of its parameters.
func wrongParams(raw string, known []string) (errs []error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		errs = append(errs, &huma.ErrorDetail{Location: "query", Message: "not a query string: " + err.Error()})
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var message string
		switch given := values[name]; {
		case !slices.Contains(known, name):
			message = noSuchParameter(known)
		case len(given) > 1:
			message = "given more than once: give one value"
		case given[0] == "":
			message = "empty: give a value, or leave it out"
		default:
			continue
		}
		errs = append(errs, &huma.ErrorDetail{Location: "query." + name, Message: message})
	}
	return errs
}

func noSuchParameter(known []string) string {
	if len(known) == 0 {
		return "there is no such parameter, nor any other"
	}
	return "there is no such parameter: choose from " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
}
