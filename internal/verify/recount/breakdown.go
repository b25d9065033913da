package recount

import (
	"encoding/json"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/sketch"
)

// textsOf finds what a record's event says in each dimension.
func (s *Stats) textsOf(r *count.Record) (t count.Texts) {
	e, c := r.Event, count.ClassesOf(s.classifier, r)
	agent := c.Agent(e.UserAgent, e.Properties)
	source := c.Source(e.URL, e.Referrer)
	if count.RefersToItself(e, r.Ruling) {
		source = c.Source(e.URL, nil)
	}
	t[sketch.Hostname] = c.Hostname(e.URL)
	t[sketch.Page] = count.PageOf(e)
	t[sketch.Referrer], t[sketch.Channel] = source.Referrer, source.Channel
	t[sketch.Source], t[sketch.Medium], t[sketch.Campaign] = source.UTMSource, source.UTMMedium, source.UTMCampaign
	t[sketch.Content], t[sketch.Term] = source.UTMContent, source.UTMTerm
	t[sketch.Device], t[sketch.Browser], t[sketch.OS] = agent.Device, agent.Browser, agent.OS
	for i, d := range figures.Given {
		if e.Given[i] != nil {
			t[d] = string(e.Given[i])
		}
	}
	if t[sketch.EventName] = string(e.Name); e.Name == nil && !e.IsPageView() {
		t[sketch.EventName] = string(e.Type)
	}
	return t
}

// breakdown returns the breakdown of an hour that the record changes.
func (s *Stats) breakdown(site *count.Site, r *count.Record, hour int64) *count.Breakdown {
	c := count.Change(&s.Step, site.Breakdowns, hour)
	if c.End == nil {
		c.End = &count.Breakdown{Breakdown: sketch.NewBreakdown(r.Settings.Breakdowns)}
		s.v.Ledger.grow(site.Name, weighBreakdown)
	}
	c.End.Drop(dropsOf(site, r), r.Erased.Rev(), hour)
	return c.End
}

// breakDown takes an event in, then takes out what its session had booked and puts in what it has to book now.
func (s *Stats) breakDown(site *count.Site, r *count.Record, before, now *count.Session) {
	e := r.Event
	b := s.breakdown(site, r, r.Hour)
	gone := dropsOf(site, r).Has(s.v.Hasher.Visitor(e.Visitor()), r.Hour)
	size := b.Size()
	b.Give(r.Rules)
	said := s.textsOf(r)
	if now != nil && now.Booked != count.NotBooked { // The earliest event so far says where a visit came from.
		copy(said[sketch.Referrer:sketch.Term+1], now.First[sketch.Referrer:])
	}
	for d, value := range said {
		if value == "" {
			continue
		}
		hit := sketch.Hit{Visitor: s.v.Hasher.Visitor(e.Visitor()), PageView: e.IsPageView()}
		if sketch.Dimension(d) == sketch.EventName {
			hit.HasValue, hit.Value = e.HasValue, e.Value
		}
		if gone {
			b.EventOfGone(sketch.Dimension(d), value, hit)
			continue
		}
		b.Event(sketch.Dimension(d), value, r.Position, hit)
	}
	s.propertiesIn(b, r, gone)
	touched := []*count.Breakdown{b}
	for _, x := range []struct {
		*count.Session
		sign int64
	}{{before, -1}, {now, 1}} {
		if x.Session != nil && x.Booked != count.NotBooked {
			there := s.breakdown(site, r, x.Hour)
			touched = append(touched, there)
			x.BookIn(there, x.sign)
		}
	}
	if read := s.read(site, r, now); read != nil {
		touched = append(touched, read)
	}
	for _, b := range touched {
		b.Trim(r.Settings.BreakdownBytes)
	}
	s.v.Ledger.grow(site.Name, weighBytes*int64(b.Size()-size))
}

// dropsOf returns whose rows the record's step drops from breakdowns of its site.
func dropsOf(site *count.Site, r *count.Record) sites.DropIndex {
	if rev := r.Erased.Rev(); rev != site.DropsRev {
		site.Drops, site.DropsRev = sites.IndexDrops(r.Erased.Drops()), rev
	}
	return site.Drops
}

// propertiesIn counts what an event says in the properties that its site has chosen. gone says that no row is made for its visitor.
func (s *Stats) propertiesIn(b *count.Breakdown, r *count.Record, gone bool) {
	e := r.Event
	if r.Rules == nil || len(r.Rules.Properties) == 0 || e.Properties == nil {
		return
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(e.Properties, &members); err != nil {
		return
	}
	hit := sketch.Hit{Visitor: s.v.Hasher.Visitor(e.Visitor()), PageView: e.IsPageView()}
	for _, p := range r.Rules.Properties {
		value := count.PropertyText(members[p.Key])
		switch d := sketch.PropertyDimension(p.N); {
		case value == "":
		case gone:
			b.EventOfGone(d, value, hit)
		default:
			b.Event(d, value, r.Position, hit)
		}
	}
}

// read takes out what the page view before the record had in its page's row, and puts in what it has to have by the record. It returns
// the breakdown; nil: there is none.
func (s *Stats) read(site *count.Site, r *count.Record, x *count.Session) *count.Breakdown {
	if x == nil || x.Booked == count.NotBooked {
		return nil
	}
	var b *count.Breakdown
	if before := x.Reading; before.Page != "" {
		x.Reading.Next(r.Event)
		if had, has := before.Counts(), x.Reading.Counts(); had != has {
			b = s.breakdown(site, r, before.Hour)
			change := sketch.Attention{Timed: has.Timed - had.Timed, TimeMs: has.TimeMs - had.TimeMs, Scrolled: has.Scrolled - had.Scrolled,
				Depth: has.Depth - had.Depth}
			b.Short = !b.Attend(before.Page, before.Position, change) || b.Short
		}
	}
	if page := count.PageOf(r.Event); page != "" && r.Event.IsPageView() {
		x.Reading = count.Reading{Visit: count.Visit{Page: page, At: r.Event.Timestamp, Position: r.Position}, Hour: r.Hour, Deepest: -1}
	}
	return b
}
