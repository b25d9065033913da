package event

// parseTimestamp returns an event's time in milliseconds since the epoch: a JSON string is RFC 3339, a JSON
// number whole milliseconds, however it is spelled (1778594580000 or 1.77859458e12). Digits in a string are
// refused: whether they are seconds or milliseconds would be a guess.
func parseTimestamp(t jsonToken) (ms int64, ok bool) {
	switch t.kind {
	case '"':
		ms, ok = parseRFC3339(t.text)
	case '0':
		ms, ok = parseDecimal(t.text, 0)
	}
	return ms, ok && 0 <= ms && ms <= MaxTimestamp
}

// Spans of event time in milliseconds.
const (
	MinuteMs = 60_000
	HourMs   = 60 * MinuteMs
	DayMs    = 24 * HourMs
)

// parseRFC3339 reads a date-time of RFC 3339, section 5.6, as milliseconds since the epoch. T and Z may be in
// lower case, as there. A fraction may have any number of digits, those after the third are dropped, so that an
// instant from 1970 on is floored to its millisecond. A leap second, 23:59:60 in UTC, is the last millisecond of
// its day: so it stays in the minute, hour and day that it names. time.Parse would refuse it, and takes four
// times as long.
func parseRFC3339(s []byte) (ms int64, ok bool) {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(s) < shortest || s[4] != '-' || s[7] != '-' || s[10]|0x20 != 't' || s[13] != ':' || s[16] != ':' {
		return 0, false
	}
	century, year2, month, day := twoDigits(s[0], s[1]), twoDigits(s[2], s[3]), twoDigits(s[5], s[6]), twoDigits(s[8], s[9])
	hour, minute, second := twoDigits(s[11], s[12]), twoDigits(s[14], s[15]), twoDigits(s[17], s[18])
	if century|year2|month|day|hour|minute|second < 0 {
		return 0, false
	}
	year := 100*century + year2
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60 {
		return 0, false
	}
	fraction, rest, ok := parseFraction(s[19:])
	if !ok {
		return 0, false
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return 0, false
	}
	ms = int64(daysFromCivil(year, month, day))*DayMs + int64(60*hour+minute-offset)*MinuteMs
	if second < 60 {
		return ms + int64(second)*1000 + int64(fraction), true
	}
	if ms += MinuteMs; ms%DayMs != 0 {
		return 0, false // Leap seconds end a day of UTC.
	}
	return ms - 1, true
}

// parseFraction reads a fraction of a second, if there is one, and returns its whole milliseconds and what is
// after it.
func parseFraction(s []byte) (ms int, rest []byte, ok bool) {
	if s[0] != '.' {
		return 0, s, true
	}
	i, unit := 1, 100
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		ms += int(s[i]-'0') * unit
		unit /= 10
	}
	return ms, s[i:], i > 1
}

// parseOffset reads Z or +hh:mm and returns how many minutes local time is ahead of UTC.
func parseOffset(s []byte) (minutes int, ok bool) {
	if len(s) == 1 {
		return 0, s[0]|0x20 == 'z'
	}
	if len(s) != len("+00:00") || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	h, m := twoDigits(s[1], s[2]), twoDigits(s[4], s[5])
	if h|m < 0 || h > 23 || m > 59 {
		return 0, false
	}
	if s[0] == '-' {
		return -(60*h + m), true
	}
	return 60*h + m, true
}

// twoDigits returns the number that two digits spell, or -1.
func twoDigits(tens, ones byte) int {
	tens, ones = tens-'0', ones-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return 10*int(tens) + int(ones)
}

func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// daysFromCivil returns the days from 1970-01-01 to a date of the years 0 to 9999. It is Howard Hinnant's
// days_from_civil ("chrono-compatible low-level date algorithms"): years begin in March, so that the leap day is
// the last.
func daysFromCivil(year, month, day int) int {
	if month <= 2 {
		year--
	}
	year += 400 // keeps year 0's January from being negative; an era of 400 years has 146,097 days
	era := year / 400
	yearOfEra := year - 400*era
	dayOfYear := (153*((month+9)%12)+2)/5 + day - 1
	return 146_097*(era-1) + 365*yearOfEra + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719_468
}
