package mapping

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/strptime"
)

// TimeUnits are the units of timestamps that are numbers since 1970 began.
var TimeUnits = []string{"s", "ms", "us", "ns"}

// perSecond is how many of a unit a second has.
var perSecond = map[string]float64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}

// timeReader reads timestamps that are not as events have them. The zero value reads those of events.
type timeReader struct {
	unit   string // one of TimeUnits; "": no number is read
	layout string // Go's; "": no text is read but one that spells a number
	zone   *time.Location
	spell  spelling
}

// newTimeReader checks what a mapping says of its timestamps. The layout is strptime's (%Y-%m-%d %H:%M:%S), Go's
// (2006-01-02 15:04:05) or iso8601.
func newTimeReader(unit, layout, zone string, spell spelling) (timeReader, error) {
	r := timeReader{unit: unit, layout: layout, zone: time.UTC, spell: spell}
	if unit != "" && !slices.Contains(TimeUnits, unit) {
		return r, fmt.Errorf("%s: choose s, ms, us or ns", spell.with("time-unit", unit))
	}
	if zone != "" {
		if layout == "" {
			return r, fmt.Errorf("%s: it is the zone of texts without one: say how they look with %s", spell.with("time-zone", zone),
				spell.name("time-layout"))
		}
		loc, err := sites.LoadZone(zone) // The same on every machine.
		if err != nil {
			return r, fmt.Errorf("%s: write the name of a zone, as in Europe/Berlin", spell.with("time-zone", strconv.Quote(zone)))
		}
		r.zone = loc
	}
	if r.layout == iso8601 {
		return r, nil
	}
	if strings.Contains(layout, "%") {
		var err error
		if r.layout, err = strptime.Layout(layout); err != nil {
			return r, fmt.Errorf("%s %w", spell.name("time-layout"), err)
		}
	}
	if sample := time.Date(1999, 11, 28, 21, 43, 57, 0, r.zone); r.layout != "" {
		back, err := time.ParseInLocation(r.layout, sample.Format(r.layout), r.zone)
		if err != nil || back.Year() != 1999 || back.YearDay() != sample.YearDay() {
			return r, fmt.Errorf("%s: it has no full date: write one as in %%Y-%%m-%%d %%H:%%M:%%S, or in Go's form "+
				"2006-01-02 15:04:05", spell.with("time-layout", strconv.Quote(layout)))
		}
	}
	return r, nil
}

// ours reports whether timestamps are as events have them.
func (r timeReader) ours() bool { return r.unit == "" && r.layout == "" }

// read reads a timestamp.
func (r timeReader) read(v jsontext.Value) (when time.Time, reason string) {
	if when, reason = r.readAs(v); reason == "" || r.layout != "" {
		return when, reason
	}
	text, isText := eventjson.Unquote(v)
	if !isText {
		text = string(v)
	}
	if unit := likelyUnit(text); unit != "" && unit != r.unit {
		reason += ": it may be of another unit: write " + r.spell.with("time-unit", unit)
	}
	return when, reason
}

// likelyUnit is the unit in which a number is an instant of this century; "": it has none.
func likelyUnit(text string) string {
	for _, unit := range TimeUnits {
		if when, reason := sinceEpoch(text, perSecond[unit]); reason == "" && 2000 <= when.Year() && when.Year() < 2100 {
			return unit
		}
	}
	return ""
}

// readAs reads a timestamp of the unit or the layout.
func (r timeReader) readAs(v jsontext.Value) (when time.Time, reason string) {
	if r.ours() || v.Kind() == jsontext.KindInvalid || v.Kind() == 'n' {
		return eventjson.ParseTime(v)
	}
	text, isText := eventjson.Unquote(v)
	if !isText {
		if text = string(v); v.Kind() != '0' {
			return time.Time{}, "neither a string nor a number"
		}
	}
	if _, err := strconv.ParseFloat(text, 64); r.unit != "" && (r.layout == "" || err == nil) {
		when, reason = sinceEpoch(text, perSecond[r.unit])
	} else {
		t, err := r.parse(text)
		if err != nil {
			reason := eventjson.Quote(text) + " does not have the layout of " + r.spell.name("time-layout")
			if !t.IsZero() {
				reason += ": " + err.Error()
			}
			return time.Time{}, reason
		}
		when = t.UTC()
	}
	if reason == "" && (when.Before(eventjson.EarliestEvent) || when.After(eventjson.MaxTime)) {
		reason = eventjson.Quote(text) + " is " + when.Format(time.RFC3339) + ", and events are counted from 1971 to 9999: check " +
			r.spell.name("time-unit") + " and " + r.spell.name("time-layout")
	}
	return when, reason
}

// iso8601 is the layout of times as ISO 8601 has them, with T or a blank, seconds and their fraction, and with a zone or none.
const iso8601 = "iso8601"

// isoLayouts are its forms. Go reads a fraction where the layout has none.
var isoLayouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05Z07"}

// parse reads a text of the layout.
func (r timeReader) parse(text string) (t time.Time, err error) {
	if r.layout != iso8601 {
		t, err = time.ParseInLocation(r.layout, text, r.zone)
		if name, offset := t.Zone(); err == nil && offset == 0 && t.Location() != r.zone && name != "UTC" && name != "GMT" && name != "" {
			return t, fmt.Errorf("%s is no zone that says how far from UTC it is", name)
		}
		return t, err
	}
	if len(text) > len("2006-01-02") && (text[10] == 'T' || text[10] == 't') {
		text = text[:10] + " " + text[11:]
	}
	for _, layout := range isoLayouts {
		if t, err = time.ParseInLocation(layout, text, r.zone); err == nil {
			return t, nil
		}
	}
	return t, err
}

// sinceEpoch reads a number of a unit since 1970 began, rounded to the microsecond.
func sinceEpoch(text string, perSecond float64) (time.Time, string) {
	n, err := strconv.ParseFloat(text, 64)
	if strings.ContainsAny(text, "xX_") {
		err = strconv.ErrSyntax
	}
	us := math.Round(n * (1e6 / perSecond))
	if err != nil || !(math.Abs(us) < 1<<62) { // So that NaN is refused.
		return time.Time{}, eventjson.Quote(text) + " is not a number"
	}
	return time.UnixMicro(int64(us)).UTC(), ""
}
