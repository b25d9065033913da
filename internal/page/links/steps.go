package links

import (
	"time"

	"github.com/footfall/footfall/internal/page/locale"
)

// Steps are the addresses of the ranges of equal length before and after one; "": the range after has not begun. A range from the
// beginning of a day until now is one of whole days.
func Steps(from, to time.Time, at Address, now time.Time) (earlier, later string) {
	now = now.Truncate(time.Millisecond) // As answers have it.
	if day := locale.Midnight(to); from.Equal(locale.Midnight(from)) && !to.Equal(day) && !to.Before(now) {
		to = day.AddDate(0, 0, 1)
	}
	move := mover(from, to)
	earlier = Between(move(from, -1), from, at)
	if to.After(now) {
		return earlier, ""
	}
	return earlier, Between(to, move(to, 1), at)
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
