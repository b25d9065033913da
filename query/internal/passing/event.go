package passing

import (
	"encoding/json"
	"strings"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
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

// A Dimension is a dimension of filters or of rows.
type Dimension struct {
	d        sketch.Dimension
	property string // its key; "": it is none
	typ      bool   // the type of the event
	whole    string // EntryDimension, ExitDimension or GoalDimension; "": it is none of them
}

// DimensionOf returns the dimension of a name that was checked.
func DimensionOf(name string) Dimension {
	if key, ok := strings.CutPrefix(name, filters.PropertyPrefix); ok {
		return Dimension{property: key}
	}
	switch name {
	case filters.TypeDimension:
		return Dimension{typ: true}
	case filters.EntryDimension, filters.ExitDimension, filters.GoalDimension:
		return Dimension{whole: name}
	}
	d, err := sketch.ParseDimension(name)
	if err != nil {
		panic(err) // The name was checked.
	}
	return Dimension{d: d}
}

// ofSource reports whether an event has the value of its session's earliest event.
func (f Dimension) ofSource() bool {
	return f.property == "" && !f.typ && f.whole == "" && sketch.Referrer <= f.d && f.d <= sketch.Term
}

// OfWhole reports whether an event has the value of its whole session, whose events decide it.
func (f Dimension) OfWhole() bool { return f.whole != "" }

// OfEvents reports whether the value belongs to each event, so that rows by it have no figures of sessions.
func (f Dimension) OfEvents() bool {
	return f.property != "" || f.typ || f.whole == "" && (f.d == sketch.Page || f.d == sketch.EventName)
}

// OfPages reports whether it is the entry or exit page of sessions.
func (f Dimension) OfPages() bool {
	return f.whole == filters.EntryDimension || f.whole == filters.ExitDimension
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
	if text := it[d.String()].Str(); text != "" || it["userAgent"].Kind() == sinks.None {
		return text
	}
	agent := v.classifier.Agent([]byte(it["userAgent"].Str()))
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
	if v.owns(referrer) {
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

// owns reports whether a referrer is a page of the site itself: on its domains, or on the host that is its id.
func (v *eventValues) owns(referrer []byte) bool {
	if len(referrer) == 0 {
		return false
	}
	if own := strings.TrimPrefix(v.site, "www."); strings.Contains(own, ".") && classify.Within(referrer, own) {
		return true
	}
	return v.rules != nil && classify.Within(referrer, v.rules.Domains...)
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
