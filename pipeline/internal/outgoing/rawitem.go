package outgoing

import (
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/sinks"
)

// EventItem makes the item of a raw event. kept are the parameters that its urls keep.
func EventItem(key sinks.Key, r *decoding.Record, kept *urlquery.Kept, ttl plan.Expiry) sinks.Attrs {
	e := &r.Event
	const own = 12 // texts that are no dimensions
	texts := [own + len(figures.Given)]struct {
		name  string
		value []byte
	}{
		{"siteId", e.SiteID}, {"type", e.Type}, {"id", e.ID}, {"visitorId", e.VisitorID}, {"sessionId", e.SessionID},
		{"userId", e.UserID}, {"url", kept.Cut(e.URL)}, {"referrer", kept.Cut(e.Referrer)}, {"title", e.Title}, {"userAgent", e.UserAgent},
		{"name", e.Name}, {"properties", e.Properties},
	}
	for i, d := range figures.Given {
		texts[own+i].name, texts[own+i].value = figures.Dimensions[d].Name, e.Given[i]
	}
	n, given := 0, 0
	for i := range texts {
		if texts[i].value != nil {
			n, given = n+len(texts[i].value), given+1
		}
	}
	var all strings.Builder // All texts share one string: one allocation an event.
	all.Grow(n)
	const others = 12 // The attributes below that are no texts.
	it := make(sinks.Attrs, 0, given+others)
	add := func(name string, v sinks.Value) { it = append(it, sinks.Attr{Name: name, Value: v}) }
	add(sinks.AttrPK, sinks.Str(key.PK))
	add(sinks.AttrSK, sinks.Str(key.SK))
	add(sinks.AttrEntity, sinks.Str(sinks.EntityEvent))
	add(sinks.AttrSchema, sinks.Int(sinks.SchemaVersion))
	for i := range texts {
		if t := &texts[i]; t.value != nil {
			begin := all.Len()
			all.Write(t.value)
			add(t.name, sinks.Str(all.String()[begin:]))
		}
	}
	add("timestamp", sinks.Int(e.Timestamp))
	if e.HasValue {
		add("value", sinks.Str(FormatMicros(e.Value)))
	}
	add("recordTime", sinks.Int(r.Time))
	add("source", sinks.Str(r.Source()))
	if r.Bot.Known() {
		add(sinks.AttrBot, sinks.Str(string(r.Bot)))
	}
	if r.Foreign {
		add(sinks.AttrForeign, sinks.Int(1))
	}
	if r.Excluded {
		add(sinks.AttrExcluded, sinks.Int(1))
	}
	if !ttl.Never {
		add(sinks.AttrTTL, sinks.Int(ttl.At))
	}
	return it
}

// FormatMicros spells millionths as a decimal number without needless zeros: 1500000 is 1.5.
func FormatMicros(n int64) string {
	s := ""
	if n < 0 {
		s, n = "-", -n
	}
	s += strconv.FormatInt(n/1_000_000, 10)
	frac := n % 1_000_000
	if frac == 0 {
		return s
	}
	digits := strconv.FormatInt(1_000_000+frac, 10)[1:]
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return s + "." + digits
}
