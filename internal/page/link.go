package page

import (
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
)

// Link is the address of what the page shows, with dates instead of names such as today: tomorrow it shows the same range, compared with
// the same one. "": the address has a token of one viewer, who must not pass it on.
func (v SiteView) Link() string {
	a := v.Stats
	if strings.HasPrefix(v.At.Base, "/embed/") {
		return ""
	}
	values := []string{"period", "", "from", "", "to", "", "by", string(a.By), "tz", a.Zone}
	if period := periodOf(a.From, a.To); period != "" {
		values = append(values, "period", period)
	} else {
		values = append(values, "from", absolute(a.From), "to", absolute(a.To))
	}
	if p := a.Previous; p != nil && v.At.ComparedWith() != "" { // The range before and the year before need no names of their own.
		values = append(values, "compare", absolute(p.From.In(a.From.Location()))+".."+absolute(p.To.In(a.From.Location())))
	}
	return v.At.With(values...)
}

// periodOf names a range that is a day, a month or a year; "": it is none. The range before a month is a month, of any length.
func periodOf(from, to time.Time) string {
	switch {
	case !from.Equal(locale.Midnight(from)):
	case to.Equal(from.AddDate(0, 0, 1)):
		return from.Format(time.DateOnly)
	case from.Day() == 1 && to.Equal(from.AddDate(0, 1, 0)):
		return from.Format("2006-01")
	case from.YearDay() == 1 && to.Equal(from.AddDate(1, 0, 0)):
		return from.Format("2006")
	}
	return ""
}

// absolute spells an end of a range: as a date, if a day begins then.
func absolute(t time.Time) string {
	if t.Equal(locale.Midnight(t)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}
