package verify

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// texts are what an event says in each dimension; "" is nothing.
type texts [len(sinks.DimensionNames)]string

// textsOf finds what a record's event says in each dimension.
func (s *statsRecount) textsOf(r *record) (t texts) {
	e := r.event
	agent := s.classifier.Agent(e.UserAgent)
	source := s.classifier.Source(e.URL, e.Referrer)
	if refersToItself(e, r.rules) {
		source = s.classifier.Source(e.URL, nil)
	}
	t[sketch.Hostname] = s.classifier.Hostname(e.URL)
	t[sketch.Page] = pageOf(e)
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

// breakdown is what one partition knows of an hour of a site, by the values of each dimension.
type breakdown struct {
	*sketch.Breakdown
	short bool // a booking took back more than there was: the rules of breakdowns do not hold

	rules *sites.Rules // whose numbers of rows it has

	purged int64 // the revision of the rules at which rows were dropped last
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (b *breakdown) Clone() *breakdown {
	if b == nil {
		return nil
	}
	return &breakdown{b.Breakdown.Clone(), b.short, b.rules, b.purged}
}

// breakdown returns the breakdown of an hour that the record changes.
func (s *statsRecount) breakdown(site *siteRecount, r *record, hour int64) *breakdown {
	c := change(&s.step, site.breakdowns, hour)
	if c.end == nil {
		c.end = &breakdown{Breakdown: sketch.NewBreakdown(r.settings.Breakdowns)}
		s.v.ledger.grow(site.name, weighBreakdown)
	}
	c.end.drop(site.dropsOf(r), r.erased.Rev(), hour)
	return c.end
}

// breakDown takes an event in, then takes out what its session had booked and puts in what it has to book now.
func (s *statsRecount) breakDown(site *siteRecount, r *record, before, now *session) {
	e := r.event
	b := s.breakdown(site, r, r.hour)
	gone := site.dropsOf(r).Has(s.v.hasher.Visitor(e.Visitor()), r.hour)
	size := b.Size()
	b.give(r.rules)
	said := s.textsOf(r)
	if now != nil && now.booked != notBooked { // The earliest event so far says where a visit came from.
		copy(said[sketch.Referrer:sketch.Term+1], now.first[sketch.Referrer:])
	}
	for d, value := range said {
		if value == "" {
			continue
		}
		hit := sketch.Hit{Visitor: s.v.hasher.Visitor(e.Visitor()), PageView: e.IsPageView()}
		if sketch.Dimension(d) == sketch.EventName {
			hit.HasValue, hit.Value = e.HasValue, e.Value
		}
		if gone {
			b.EventOfGone(sketch.Dimension(d), value, hit)
			continue
		}
		b.Event(sketch.Dimension(d), value, r.position, hit)
	}
	s.propertiesIn(b, r, gone)
	touched := []*breakdown{b}
	for _, x := range []struct {
		*session
		sign int64
	}{{before, -1}, {now, 1}} {
		if x.session != nil && x.booked != notBooked {
			there := s.breakdown(site, r, x.hour)
			touched = append(touched, there)
			x.bookIn(there, x.sign)
		}
	}
	if read := s.read(site, r, now); read != nil {
		touched = append(touched, read)
	}
	for _, b := range touched {
		b.Trim(r.settings.BreakdownBytes)
	}
	s.v.ledger.grow(site.name, weighBytes*int64(b.Size()-size))
}

// give gives each dimension as many rows as the rules under which a record is counted say; those that they leave out have as many as
// the hour began with.
func (b *breakdown) give(rules *sites.Rules) {
	if b.rules == rules {
		return
	}
	b.rules = rules
	var rows []sketch.DimensionRows
	for _, d := range sketch.Dimensions() {
		if rules == nil {
			break
		}
		if n := rules.Rows[d.String()]; n > 0 {
			rows = append(rows, sketch.DimensionRows{Dimension: d, Rows: n})
		}
	}
	b.SetRows(rows)
}

// bookIn books the session (sign 1), or takes it out (sign -1): the session itself under what its earliest event says and
// under its entry page, by the record of that event; its pages by their page views, unless the start
// has moved since.
func (s *session) bookIn(b *breakdown, sign int64) {
	whole := sketch.Booking{Sessions: sign, DurationMs: sign * min(s.durationMs(), maxBookedMs), Bounces: sign * number(s.bounce())}
	var won sketch.Conversions
	if n := int64(len(s.reached)); n > 0 {
		won = sketch.Conversions{Sessions: sign, Further: sign * (n - 1), Worth: int128.From(sign * s.worth)}
	}
	for d, value := range s.first {
		if value == "" {
			continue
		}
		b.book(sketch.Dimension(d), value, s.booked, whole)
		switch d := sketch.Dimension(d); d {
		case sketch.Referrer, sketch.Channel, sketch.Source, sketch.Medium, sketch.Campaign, sketch.Content, sketch.Term:
			b.convert(d, value, s.booked, won)
		}
	}
	if s.entry.page != "" {
		entry := whole
		entry.Entries = sign
		b.book(sketch.Page, s.entry.page, max(s.booked, s.entry.position), entry)
		b.convert(sketch.Page, s.entry.page, max(s.booked, s.entry.position), won)
	}
	if s.exit.page != "" {
		b.book(sketch.Page, s.exit.page, max(s.booked, s.exit.position), sketch.Booking{Exits: sign})
	}
}

// maxBookedMs is up to where a session's duration counts in breakdowns: 99 days.
const maxBookedMs = 1 << 33

func (b *breakdown) book(d sketch.Dimension, value string, at int64, k sketch.Booking) {
	b.short = !b.Book(d, value, at, k) || b.short
}

func (b *breakdown) convert(d sketch.Dimension, value string, at int64, k sketch.Conversions) {
	b.short = !b.Convert(d, value, at, k) || b.short
}

// maxRowsListed is how many differing rows of an item are listed.
const maxRowsListed = 10

func (c *comparison) breakdown(v *judges, s subject, attr string, want *breakdown) {
	c.ignore(attr)
	have := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(c.item[attr].Bytes(), have); err != nil {
		c.differ(attr, "unreadable: "+err.Error(), "a breakdown")
		return
	}
	have, must := v.fateOfRows(s, have, want.Breakdown)
	if have.Equal(must) {
		return
	}
	if want.short {
		c.differ(attr, "a breakdown", "a booking takes back more than there is")
	}
	for _, row := range have.Differ(must, maxRowsListed) {
		c.differ(attr, row, "")
	}
}
