package query

import (
	"github.com/footfall/footfall/query/internal/readable"
)

// checkFunnelFilters refuses filters that no funnel can have.
func checkFunnelFilters(p FunnelReportParams) error {
	if p.IncludeBots && len(p.Where) > 0 {
		return &ParamError{Param: "include-bots", Value: "", Remedy: "bots pass no filter: leave it out, or the filters"}
	}
	for _, c := range p.Where {
		if c.OfEvents() {
			return &ParamError{Param: "where", Value: readable.Shortened(c.String()),
				Remedy: "the steps of a funnel say which events count: filter by another " +
					"dimension than page, event, type and properties"}
		}
	}
	return nil
}
