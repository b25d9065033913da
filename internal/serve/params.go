package serve

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/footfall/footfall/query"
)

// PageParams are the parameters of a list that comes in pages.
type PageParams struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"Max. rows of the page"`
	Desc   bool   `query:"desc" doc:"Descending order"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
}

func (p PageParams) paging() query.Paging {
	return query.Paging{Limit: p.Limit, Desc: p.Desc, Cursor: p.Cursor}
}

// RecentParams are PageParams of a list that has the newest first.
type RecentParams struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"Max. rows of the page"`
	Desc   bool   `query:"desc" default:"true" doc:"The newest first"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
}

func (p RecentParams) paging() query.Paging { return PageParams(p).paging() }

// ConsistentParams is the parameter of questions that may be asked with strong reads.
type ConsistentParams struct {
	Consistent bool `query:"consistent" doc:"Strongly consistent reads, at twice the cost"`
}

// BotParams is the parameter of figures that can include bots.
type BotParams struct {
	IncludeBots bool `query:"includeBots" doc:"Add bots to events, page views and values"`
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

// ids are the parts of the path that are ids, to be read as they are spelled there.
func (p *SiteParams) ids() []*string { return []*string{&p.Site} }

// checkParams refuses parameters that an operation does not have, those that are given twice or without a value, and values that are none
// of theirs: a figure that answers another question than the one that was meant looks like any other.
func checkParams(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		u := ctx.URL()
		if errs := wrongParams(u.RawQuery, schemasOf(ctx.Operation())); len(errs) > 0 {
			huma.WriteErr(api, ctx, http.StatusUnprocessableEntity, "invalid parameters, listed in errors", errs...)
			return
		}
		next(ctx)
	}
}

// schemasOf returns what values the query parameters of an operation may have, by name.
func schemasOf(o *huma.Operation) map[string]*huma.Schema {
	known := make(map[string]*huma.Schema)
	for _, p := range o.Parameters {
		if p.In == "query" {
			known[p.Name] = p.Schema
		}
	}
	return known
}

// wrongParams returns what is wrong with a query string, by the names of its parameters. A parameter without a schema takes any value.
func wrongParams(raw string, known map[string]*huma.Schema) (errs []error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		errs = append(errs, &huma.ErrorDetail{Location: "query", Message: "not a query string: " + err.Error() + ": encode it as in a%20b"})
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		given := values[name]
		wrong := &huma.ErrorDetail{Location: "query." + name}
		switch schema, ok := known[name]; {
		case !ok:
			wrong.Message = noSuchParameter(slices.Sorted(maps.Keys(known)))
		case schema != nil && schema.Type == huma.TypeArray:
			if slices.Contains(given, "") {
				wrong.Message = "empty: give a value, or leave it out"
			}
		case len(given) > 1:
			wrong.Message = "given more than once: give one value"
		case given[0] == "":
			wrong.Message = "empty: give a value, or leave it out"
		case schema != nil:
			wrong.Message, wrong.Value = remedyOf(schema, given[0]), given[0]
		}
		if wrong.Message != "" {
			errs = append(errs, wrong)
		}
	}
	return errs
}

// remedyOf says what to write instead of a value; "": it is one that the schema allows.
func remedyOf(s *huma.Schema, value string) string {
	switch {
	case len(s.Enum) > 0:
		for _, allowed := range s.Enum {
			if allowed == value {
				return ""
			}
		}
		return "choose " + strings.Join(texts(s.Enum), ", ") + ", or leave it out"
	case s.Type == huma.TypeBoolean:
		if value != "true" && value != "false" {
			return "write true or false"
		}
	case s.Type == huma.TypeInteger:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || s.Minimum != nil && float64(n) < *s.Minimum || s.Maximum != nil && float64(n) > *s.Maximum {
			return "write a whole number" + bounds(s)
		}
	}
	return ""
}

func texts(values []any) (all []string) {
	for _, v := range values {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

// bounds spells the bounds of a number.
func bounds(s *huma.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(" from %d to %d", int64(*s.Minimum), int64(*s.Maximum))
	case s.Minimum != nil:
		return fmt.Sprintf(" of %d or more", int64(*s.Minimum))
	}
	return ""
}

func noSuchParameter(known []string) string {
	if len(known) == 0 {
		return "unknown parameter: this operation takes none"
	}
	return "there is no such parameter: choose from " + strings.Join(known, ", ")
}
