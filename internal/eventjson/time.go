package eventjson

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxTime is the last instant that an event can have.
var MaxTime = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)

// EarliestEvent is the first instant at which the pipeline counts an event, the end of 1970. Seconds of all years up to 2968,
// taken for milliseconds, are before it.
var EarliestEvent = time.UnixMilli(365 * 24 * time.Hour.Milliseconds())

// LooksLikeSeconds says what is wrong with a timestamp before EarliestEvent, and what to do; empty when it is not before it.
func LooksLikeSeconds(v jsontext.Value, when time.Time, remedy string) (reason string) {
	if !when.Before(EarliestEvent) {
		return ""
	}
	if v.Kind() == '"' {
		s, _ := Unquote(v)
		return Quote(s) + " is in 1970, when no event is counted: seconds were taken for milliseconds where it was made"
	}
	return fmt.Sprintf("%s is %s in milliseconds, when no event is counted, and looks like seconds: %s", v,
		when.Format(time.RFC3339), remedy)
}

// ParseTime reads a timestamp as an event has it: RFC 3339, or whole milliseconds since the epoch.
func ParseTime(v jsontext.Value) (when time.Time, reason string) {
	switch v.Kind() {
	case '"':
		s, _ := Unquote(v)
		t, err := time.Parse(time.RFC3339, strings.ToUpper(s)) // T and Z may be in lower case.
		// Parse also takes an hour of one digit and a comma before the fraction (golang.org/issue/54580).
		if err != nil || s[len("2006-01-02T15")] != ':' || strings.Contains(s, ",") {
			return time.Time{}, Quote(s) + " is not RFC 3339, as in 2026-05-12T14:03:05.250Z"
		}
		when = t.UTC()
	case '0':
		ms, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			return time.Time{}, string(v) + " is not a whole number of milliseconds since the epoch"
		}
		when = time.UnixMilli(ms).UTC()
	case jsontext.KindInvalid, 'n':
		return time.Time{}, "there is none"
	default:
		return time.Time{}, "neither a string nor a number"
	}
	if when.Before(time.UnixMilli(0)) || when.After(MaxTime) {
		return time.Time{}, when.Format(time.RFC3339) + " is not between 1970 and 9999"
	}
	return when, ""
}
