package links

import (
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// Steps are the addresses of the ranges of equal length before and after one; "": the range after has not begun.
func Steps(a query.StatsAnswer, at Address, now time.Time) (earlier, later string) {
	move := mover(a.From, a.To)
	earlier = Between(move(a.From, -1), a.From, at)
	if a.To.After(now) {
		return earlier, ""
	}
	return earlier, Between(a.To, move(a.To, 1), at)
}

// mover returns how an end of a range moves by its length: by months, days or hours, as the range is one of whole ones.
func mover(from, to time.Time) func(t time.Time, times int) time.Time {
	whole := from.Equal(locale.Midnight(from)) && to.Equal(locale.Midnight(to)) && from.Before(to)
	if whole && from.Day() == 1 && to.Day() == 1 {
		months := 12*(to.Year()-from.Year()) + int(to.Month()-from.Month())
		return func(t time.Time, times int) time.Time { return t.AddDate(0, times*months, 0) }
	}
	if whole {
		days := int(to.Sub(from).Hours()/24 + 0.5) // A day may have an hour more or less.
		return func(t time.Time, times int) time.Time { return t.AddDate(0, 0, times*days) }
	}
	return func(t time.Time, times int) time.Time { return t.Add(time.Duration(times) * to.Sub(from)) }
}

// Between is the address of the page about a range: dates where it is one of whole days.
func Between(from, to time.Time, at Address) string {
	layout := time.RFC3339
	if from.Equal(locale.Midnight(from)) && to.Equal(locale.Midnight(to)) {
		layout = time.DateOnly
	}
	return at.With("period", "", "by", "", "from", from.Format(layout), "to", to.Format(layout))
}
