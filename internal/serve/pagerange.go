package serve

import (
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
)

// rangeOfForm turns the days of the form "Other range", which are both included, into the range of an address, whose end is not. given
// reports that there were such days.
func rangeOfForm(values map[string]string) (given bool, err error) {
	last, given := values[links.LastDayParam]
	if !given {
		return false, nil
	}
	until, err := time.Parse(time.DateOnly, last)
	if err != nil {
		return true, problem.AtFault(links.LastDayParam, last, "write a day, as 2026-05-31")
	}
	if values["to"] != "" || values["period"] != "" {
		return true, problem.AtFault(links.LastDayParam, last, "leave it out beside to or period")
	}
	if from, err := time.Parse(time.DateOnly, values["from"]); err == nil && until.Before(from) {
		return true, problem.AtFault(links.LastDayParam, last, "it is before the first day, "+values["from"]+": choose that day or a later one")
	}
	delete(values, links.LastDayParam)
	values["to"] = until.AddDate(0, 0, 1).Format(time.DateOnly)
	return true, nil
}
