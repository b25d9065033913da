package accesslog

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// calendar is what times need that do not say all: the zone, and the year.
type calendar struct {
	zone *time.Location
	now  time.Time // a time without a year is at most a day after it

	last lastTime
}

// lastTime is the time that was read last: most times of a log are of the hour of the one before, and differ in minute and second only.
type lastTime struct {
	text   []byte // empty: it does not name its zone or year
	minute int    // where 05:03 begins in it
	hour   time.Time
}

// keep keeps a time that was read by its shape.
func (l *lastTime) keep(text []byte, p *clockReader, t time.Time) {
	l.text = l.text[:0]
	if p.zoned && p.year != 0 && p.second < 60 {
		l.text, l.minute = append(l.text, text...), p.minuteAt
		l.hour = t.Add(-time.Duration(60*p.minute+p.second) * time.Second)
	}
}

// sameHour reads a time of the same hour, zone and fraction of a second.
func (l *lastTime) sameHour(text []byte) (time.Time, bool) {
	after := l.minute + len("05:03")
	if len(l.text) == 0 || len(text) != len(l.text) || !bytes.Equal(text[:l.minute], l.text[:l.minute]) ||
		!bytes.Equal(text[after:], l.text[after:]) {
		return time.Time{}, false
	}
	p := clockReader{rest: text[l.minute:after], ok: true}
	p.minute = p.digits(2, ':')
	p.second = p.digits(2, 0)
	if !p.ok || p.minute > 59 || p.second > 59 {
		return time.Time{}, false
	}
	return l.hour.Add(time.Duration(60*p.minute+p.second) * time.Second), true
}

// read reads a time by its layout, as Go has it, or by its shape: that of a log (17/May/2015:10:05:03 +0000), ISO 8601, syslog's (May 17
// 10:05:03), or a number since 1970 began. Fractions may have a comma.
func (c *calendar) read(text []byte, layout string) (time.Time, string) {
	if layout != "" {
		t, err := time.ParseInLocation(layout, string(text), c.zone)
		if err != nil {
			return time.Time{}, quote(text) + " does not have the layout of the times, " + strconv.Quote(layout)
		}
		if t.Year() == 0 {
			t = c.withYear(t)
		}
		return t.UTC(), ""
	}
	shape := bytes.Trim(text, "[]")
	if t, ok := c.last.sameHour(shape); ok {
		return t, ""
	}
	p := clockReader{rest: shape, ok: true}
	switch s := shape; {
	case len(s) > 6 && s[2] == '/' && s[6] == '/':
		p.day = p.digits(2, '/')
		p.month = p.monthName('/')
		p.year = p.digits(4, 0)
		p.separator(": T")
	case len(s) > 7 && (s[4] == '-' || s[4] == '/') && s[7] == s[4]:
		p.year = p.digits(4, s[4])
		p.month = p.digits(2, s[4])
		p.day = p.digits(2, 0)
		p.separator("T t")
	case len(s) > 7 && s[0] >= 'A' && s[0] <= 'Z':
		p.month = p.monthName(' ')
		p.rest = bytes.TrimLeft(p.rest, " ")
		p.day = p.upTo2(' ')
		if len(p.rest) > 4 && p.rest[4] == ' ' {
			p.year = p.digits(4, ' ')
		}
	case isNumber(s):
		if t, ok := sinceEpoch(s); ok {
			return t, ""
		}
		p.ok = false
	default:
		p.ok = false
	}
	p.timeOfDay(len(shape))
	t, ok := p.time(c)
	if !ok {
		return time.Time{}, quote(text) + " is not a log's, as in 17/May/2015:10:05:03 +0000 or 2026-05-12T14:03:05Z: say how it looks with " +
			"--time-layout"
	}
	c.last.keep(shape, &p, t)
	return t, ""
}

// withYear gives a time that has none the latest year in which it is not in the future.
func (c *calendar) withYear(t time.Time) time.Time {
	now := c.now.In(t.Location())
	for year := now.Year(); ; year-- { // A 29 February has at most eight years to go back.
		dated := t.AddDate(year-t.Year(), 0, 0)
		if !dated.After(now.Add(24*time.Hour)) && dated.Day() == t.Day() {
			return dated
		}
	}
}

// isNumber reports whether a text is a number without a sign.
func isNumber(text []byte) bool {
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	return len(whole) > 0 && isDigits(whole) && isDigits(fraction)
}

// sinceEpoch reads a number since 1970 began, in the unit that makes it a time from 1973 to 5138, to the microsecond.
func sinceEpoch(text []byte) (time.Time, bool) {
	number, err := strconv.ParseFloat(string(text), 64)
	if err != nil || number < 1e8 || number >= 1e20 {
		return time.Time{}, false
	}
	unit := 1e6
	for n := number; n >= 1e11 && unit > 1e-3; n /= 1000 {
		unit /= 1000
	}
	return time.UnixMicro(int64(math.Round(number * unit))).UTC(), true
}

// clockReader takes the parts of a time off the front of a text.
type clockReader struct {
	rest                                         []byte
	ok                                           bool
	year, month, day, hour, minute, second, nano int
	zoned                                        bool
	minuteAt                                     int // where the minute is in the text
	offset                                       int // seconds east of UTC
}

// digits takes n digits and what follows them, if that is not 0.
func (p *clockReader) digits(n int, then byte) (number int) {
	if len(p.rest) < n || !isDigits(p.rest[:n]) {
		p.ok = false
		return 0
	}
	for _, c := range p.rest[:n] {
		number = 10*number + int(c-'0')
	}
	p.rest = p.rest[n:]
	if then != 0 {
		p.separator(string(rune(then)))
	}
	return number
}

// upTo2 takes one or two digits and what follows them.
func (p *clockReader) upTo2(then byte) int {
	if len(p.rest) > 1 && p.rest[1] == then {
		return p.digits(1, then)
	}
	return p.digits(2, then)
}

// separator takes one of these bytes.
func (p *clockReader) separator(of string) {
	if len(p.rest) == 0 || strings.IndexByte(of, p.rest[0]) < 0 {
		p.ok = false
		return
	}
	p.rest = p.rest[1:]
}

const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"

func (p *clockReader) monthName(then byte) int {
	if len(p.rest) < 3 {
		p.ok = false
		return 0
	}
	i := strings.Index(monthNames, string(p.rest[:3]))
	p.ok = p.ok && i >= 0 && i%3 == 0
	p.rest = p.rest[3:]
	p.separator(string(rune(then)))
	return i/3 + 1
}

// timeOfDay takes the time of day, its fraction and its zone, from a text of that length.
func (p *clockReader) timeOfDay(length int) {
	p.hour = p.digits(2, ':')
	p.minuteAt = length - len(p.rest)
	p.minute = p.digits(2, ':')
	p.second = p.digits(2, 0)
	if !p.ok {
		return
	}
	if len(p.rest) > 0 && (p.rest[0] == '.' || p.rest[0] == ',') {
		p.rest = p.rest[1:]
		unit := 100_000_000
		for len(p.rest) > 0 && p.rest[0] >= '0' && p.rest[0] <= '9' {
			p.nano += unit * int(p.rest[0]-'0')
			unit /= 10
			p.rest = p.rest[1:]
		}
	}
	switch z := bytes.TrimLeft(p.rest, " "); {
	case len(z) == 0:
	case string(z) == "Z" || string(z) == "z" || string(z) == "UTC" || string(z) == "GMT":
		p.zoned = true
	case z[0] == '+' || z[0] == '-':
		p.rest, p.zoned = z[1:], true
		p.offset = 3600 * p.digits(2, 0)
		if len(p.rest) > 0 && p.rest[0] == ':' {
			p.rest = p.rest[1:]
		}
		if len(p.rest) > 0 {
			p.offset += 60 * p.digits(2, 0)
		}
		if z[0] == '-' {
			p.offset = -p.offset
		}
		p.ok = p.ok && len(p.rest) == 0
	default:
		p.ok = false
	}
}

// time puts the parts together. A leap second counts as the last of its minute.
func (p *clockReader) time(c *calendar) (time.Time, bool) {
	if !p.ok || p.hour > 23 || p.minute > 59 || p.second > 60 || p.day < 1 || p.month < 1 || p.month > 12 {
		return time.Time{}, false
	}
	zone, year := time.UTC, p.year
	if !p.zoned {
		zone = c.zone
	}
	if year == 0 {
		year = 2000 // A leap year; withYear replaces it.
	}
	t := time.Date(year, time.Month(p.month), p.day, p.hour, p.minute, min(p.second, 59), p.nano, zone)
	if t.Day() != p.day {
		return time.Time{}, false
	}
	if p.year == 0 {
		t = c.withYear(t)
	}
	return t.Add(-time.Duration(p.offset) * time.Second).UTC(), true
}
