package visitorid

import "time"

// day is a UTC day, as days since 1970.
type day int64

const secondsOfDay = 24 * 60 * 60

// dayOf returns the day in which t lies.
func dayOf(t time.Time) day {
	s := t.Unix()
	d := s / secondsOfDay
	if s%secondsOfDay < 0 {
		d-- // Division rounds towards 1970.
	}
	return day(d)
}

// start returns the day's first instant.
func (d day) start() time.Time { return time.Unix(int64(d)*secondsOfDay, 0).UTC() }

// String spells the day as 2026-05-12.
func (d day) String() string { return d.start().Format(time.DateOnly) }
