package passing

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// eventValues finds what raw events say in dimensions, as breakdowns count them. Not safe for concurrent use.
type eventValues struct {
	site       string
	rules      *sites.Rules
	classifier *classify.Classifier
}

func newEventValues(t sitetable.Table) *eventValues {
	return &eventValues{t.Site, t.Clock.Rules, classify.New()}
}

// classifyAs has events classified as new ones are in a table of a format.
func (v *eventValues) classifyAs(format int) {
	v.classifier = v.classifier.By(classify.RulesOf(format >= sinks.FormatOfClasses))
}

// own returns what an event itself says; "": nothing.
func (v *eventValues) own(it sinks.Item, f Dimension) string {
	switch {
	case f.OfWhole():
		return ""
	case f.property != "":
		return propertyOf(it, f.property)
	case f.typ:
		return it["type"].Str()
	case f.ofSource():
		return v.source(it, f.d)
	}
	switch f.d {
	case sketch.Hostname:
		return v.classifier.Hostname([]byte(it["url"].Str()))
	case sketch.Page:
		return pageOf(it)
	case sketch.EventName:
		if it[sinks.AttrName].Kind() != sinks.None {
			return it[sinks.AttrName].Str()
		}
		if typ := it["type"].Str(); typ != pageViewType {
			return typ
		}
		return ""
	case sketch.Device, sketch.Browser, sketch.OS:
		return v.agent(it, f.d)
	}
	return it[f.d.String()].Str()
}

// pageViewType is the type of page views.
const pageViewType = "page_view"

// pageOf returns the page of an event, as sessions and breakdowns have it; "": it has no url.
func pageOf(it sinks.Item) string {
	if it["url"].Kind() == sinks.None {
		return ""
	}
	return string(event.Truncate(urlquery.Page([]byte(it["url"].Str())), state.MaxPageBytes))
}

// agent returns the device, browser or system of an event: as it was sent, otherwise by the user agent.
func (v *eventValues) agent(it sinks.Item, d sketch.Dimension) string {
	if text := it[d.String()].Str(); text != "" {
		return text
	}
	agent := v.classifier.Agent([]byte(it["userAgent"].Str()), []byte(it["properties"].Str()))
	switch d {
	case sketch.Device:
		return agent.Device
	case sketch.Browser:
		return agent.Browser
	}
	return agent.OS
}

// source returns where an event says that its visit came from.
func (v *eventValues) source(it sinks.Item, d sketch.Dimension) string {
	referrer := []byte(it["referrer"].Str())
	if v.rules.Owns(v.classifier, v.site, referrer) {
		referrer = nil
	}
	s := v.classifier.Source([]byte(it["url"].Str()), referrer)
	switch d {
	case sketch.Referrer:
		return s.Referrer
	case sketch.Channel:
		return s.Channel
	case sketch.Source:
		return s.UTMSource
	case sketch.Medium:
		return s.UTMMedium
	case sketch.Campaign:
		return s.UTMCampaign
	case sketch.Content:
		return s.UTMContent
	}
	return s.UTMTerm
}

// Counted are the values of a filter as events, breakdowns and sessions have them: those by the host of pages or referrers also in the form
// in which hosts are counted. What an earlier release has counted has hosts as they are spelled.
func Counted(c filters.Condition) (values []string) {
	f := DimensionOf(c.Dimension)
	host, referrer := f == Dimension{d: sketch.Hostname}, f == Dimension{d: sketch.Referrer}
	if !host && !referrer || c.Op != filters.Is && c.Op != filters.IsNot {
		return c.Values
	}
	for _, value := range c.Values {
		form := classify.Form(value)
		if label, ok := strings.CutPrefix(form, "www."); ok && referrer && label != "" && !strings.Contains(label, ".") {
			form = label
		}
		values = append(values, value, form)
	}
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// propertyOf returns the value of a property of an event, as breakdowns have it.
func propertyOf(it sinks.Item, key string) (value string) {
	text := []byte(it["properties"].Str())
	if !json.Valid(text) {
		return ""
	}
	e := event.Event{Properties: text}
	e.EachProperty(func(k, v []byte) {
		if string(k) == key {
			value = string(event.Truncate(v, sites.MaxPropertyValue))
		}
	})
	return value
}

// countedOf returns what an event adds.
func countedOf(it sinks.Item, hasher sketch.Hasher) countedEvent {
	e := countedEvent{pageView: it["type"].Str() == pageViewType, valued: it["value"].Kind() != sinks.None}
	if e.valued {
		e.valueMicros = microsOf(it["value"].Str())
	}
	tag, id := byte('v'), it[sinks.AttrVisitorID].Str()
	if it[sinks.AttrVisitorID].Kind() == sinks.None {
		tag, id = 's', it[sinks.AttrSessionID].Str()
	}
	e.visitor = hasher.Visitor(tag, []byte(id))
	return e
}

// microsOf reads the decimal of a raw event, in millionths.
func microsOf(text string) int128.Int { return int128.From(micros(text)) }

// micros is microsOf, since the pipeline keeps no value of more than 64 bits.
func micros(text string) int64 {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0
	}
	return new(big.Int).Quo(new(big.Int).Mul(r.Num(), big.NewInt(1_000_000)), r.Denom()).Int64()
}
