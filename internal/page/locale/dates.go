package locale

import (
	"strings"
	"time"
)

// Midnight is the first instant of the day of t, in its zone.
func Midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// Range spells a range with its last day included, as people do.
func Range(from, to time.Time) string {
	const day = "2 Jan 2006"
	if from.Equal(Midnight(from)) && to.Equal(Midnight(to)) {
		last := Midnight(to.Add(-time.Hour))
		if !from.Before(last) {
			return Spell(from, "Mon "+day)
		}
		return Spell(from, day) + " – " + Spell(last, day)
	}
	return Spell(from, day+", 15:04") + " – " + Spell(to, day+", 15:04")
}

// SoFar is the end of a range, or when it was read where it ends with an hour that is not over.
func SoFar(to, read time.Time) time.Time {
	if to.Equal(Midnight(to)) || !to.After(read) || to.Sub(read) > time.Hour {
		return to
	}
	return read.In(to.Location())
}

// Spell formats an instant as [time.Time.Format] does, with marks. The month comes after the day.
func Spell(t time.Time, layout string) string {
	for _, part := range []struct{ from, to string }{{"2 Jan", "2" + markDay + " Jan"}, {"January", "January" + markMonth}} {
		layout = strings.Replace(layout, part.from, part.to, 1)
	}
	if !strings.Contains(layout, markMonth) {
		layout = strings.Replace(layout, "Jan", "Jan"+markShort, 1)
	}
	return t.Format(strings.Replace(layout, "Mon", "Mon"+markWeekday, 1))
}
