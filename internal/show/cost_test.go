package show

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/query"
)

// Sessions that were not counted, since only the cost was asked for, are not said to be none.
func TestCostOfPathsSaysNoSessions(t *testing.T) {
	a := query.PathsAnswer{Site: "shop", Known: query.Known{SiteKnown: true}}
	a.Filter.Cost = &query.FilterCost{EventsEstimated: 200, ReadUnitsEstimated: 27}
	if table := shownAs(t, a); strings.Contains(table, "Sessions: 0") || !strings.Contains(table, "about 200") {
		t.Errorf("the cost alone:\n%s", table)
	}
	a.Filter.Cost.EventsRead = 200
	if table := shownAs(t, a); !strings.Contains(table, "Sessions: 0") {
		t.Errorf("paths that were read:\n%s", table)
	}
}
