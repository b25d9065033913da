package produce

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Events is the format of our own events: one JSON object a line, sent as it is, byte for byte. A line is refused
// when it is not one strict JSON object, or has no siteId to make a key of, or a timestamp in 1970, as seconds taken for
// milliseconds are, or with NeedTime no timestamp that can be read. All else is the pipeline's to judge.
type Events struct {
	Buckets  int    // of the key
	NeedTime bool   // the record's time is to be the event's: a timestamp that cannot be read is a reason to refuse
	Untimed  string // is added to that reason

	json    reader
	members []member
}

func (f *Events) record(line []byte) (Record, string) {
	var reason string
	f.members, reason = f.json.object(f.members[:0], line)
	if reason != "" {
		return Record{}, reason
	}
	site, ok := unquote(find(f.members, "siteId"))
	if !ok || site == "" {
		return Record{}, "siteId: the event has none, or it is not a string"
	}
	timestamp := find(f.members, "timestamp")
	when, reason := parseTime(timestamp)
	if reason != "" && f.NeedTime {
		return Record{}, "timestamp: " + reason + f.Untimed
	}
	if reason == "" {
		if reason = looksLikeSeconds(timestamp, when, "send milliseconds, for instance by jq -c '.timestamp *= 1000'"); reason != "" {
			return Record{}, "timestamp: " + reason
		}
	}
	r := Record{Value: line, Time: when, SiteID: site}
	r.Type, _ = unquote(find(f.members, "type"))
	r.ID, _ = unquote(find(f.members, "id"))
	visitor, _ := unquote(find(f.members, "visitorId"))
	if visitor == "" {
		visitor, _ = unquote(find(f.members, "sessionId"))
	}
	r.Key = Key(site, visitor, f.Buckets)
	return r, ""
}

func (f *Events) when(line []byte) (time.Time, bool) {
	members, reason := f.json.object(f.members[:0], line)
	if f.members = members; reason != "" {
		return time.Time{}, false
	}
	when, reason := parseTime(find(members, "timestamp"))
	return when, reason == ""
}

// maxTime is the last instant that an event can have.
var maxTime = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)

// earliestEvent is the first instant at which the pipeline counts an event, the end of 1970. Seconds of all years up to 2968,
// taken for milliseconds, are before it.
var earliestEvent = time.UnixMilli(365 * 24 * time.Hour.Milliseconds())

// looksLikeSeconds says what is wrong with a timestamp before earliestEvent, and what to do; empty when it is not before it.
func looksLikeSeconds(v jsontext.Value, when time.Time, remedy string) (reason string) {
	if !when.Before(earliestEvent) {
		return ""
	}
	if v.Kind() == '"' {
		s, _ := unquote(v)
		return quote(s) + " is in 1970, when no event is counted: seconds were taken for milliseconds where it was made"
	}
	return fmt.Sprintf("%s is %s in milliseconds, when no event is counted, and looks like seconds: %s", v,
		when.Format(time.RFC3339), remedy)
}

// parseTime reads a timestamp as an event has it: RFC 3339, or whole milliseconds since the epoch.
func parseTime(v jsontext.Value) (when time.Time, reason string) {
	switch v.Kind() {
	case '"':
		s, _ := unquote(v)
		t, err := time.Parse(time.RFC3339, strings.ToUpper(s)) // T and Z may be in lower case.
		// Parse also takes an hour of one digit and a comma before the fraction (golang.org/issue/54580).
		if err != nil || s[len("2006-01-02T15")] != ':' || strings.Contains(s, ",") {
			return time.Time{}, quote(s) + " is not RFC 3339, as in 2026-05-12T14:03:05.250Z"
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
	if when.Before(time.UnixMilli(0)) || when.After(maxTime) {
		return time.Time{}, when.Format(time.RFC3339) + " is not between 1970 and 9999"
	}
	return when, ""
}
