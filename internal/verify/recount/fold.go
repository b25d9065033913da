package recount

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sketch"
)

// fold takes the next record in.
func (s *Realtime) fold(r *count.Record) {
	e := r.Event
	if s.v.verdict(s.chain, r) != event.Accepted || r.Rules != nil && r.Rules.NoRealtime ||
		r.Time-e.Timestamp > checkpoint.RealtimeWindow.Milliseconds() || !s.v.Wants(e.SiteID) || s.v.purged(s.chain, r) || s.v.Excluded(r) {
		return
	}
	site := s.Sites[string(e.SiteID)]
	if site == nil {
		site = &count.SiteMinutes{Live: make(map[int64]*count.Cell[*count.Minute]), Expired: make(map[int64]bool)}
		s.Sites[string(e.SiteID)] = site
	}
	start := count.Floor(e.Timestamp, count.MinuteMs)
	if count.RealtimeTTL(start) <= s.v.Now() {
		// It has been left out from the first or is about to be: what is in memory of it is of no use.
		delete(site.Live, start)
		if !site.Expired[start] {
			site.Expired[start] = true
			s.v.Ledger.grow(string(e.SiteID), weighExpired)
		}
		return
	}
	c := count.Change(&s.Step, site.Live, start)
	if c.End == nil {
		s.v.Ledger.grow(string(e.SiteID), weighMinute)
		c.End = &count.Minute{Visitors: sketch.NewMinute(), Pages: sketch.NewTop(count.PageRows)}
	}
	if count.BotOf(s.classifier, r) != count.NoBot {
		c.End.BotEvents++
		c.End.BotPageViews += count.OneIf(e.IsPageView())
		return
	}
	c.End.Events++
	c.End.Visitors.Add(s.v.Hasher.Visitor(e.Visitor()))
	if e.IsPageView() {
		c.End.PageViews++
		if page := count.PageOf(e); page != "" {
			c.End.Pages.Add([]byte(page))
		}
	}
}

// fold takes the next record in.
func (s *Stats) fold(r *count.Record) error {
	switch reason := s.v.verdict(s.Chain, r); {
	case reason == event.Accepted:
		s.Totals.Counted++
		return s.count(r)
	case reason == event.Duplicate:
		s.Totals.Duplicate++
	default:
		s.Totals.Rejected[reason]++
		if r.Reason != event.Accepted {
			return nil
		}
	}
	if s.v.purged(s.Chain, r) {
		return nil
	}
	return s.v.Raw.expect(s.Chain, r, leftBy(r), false, count.NoBot)
}

// purged reports whether a record's site was purged since the chain has folded the record.
func (v *Model) purged(c *Chain, r *count.Record) bool {
	return v.Purged(string(r.Event.SiteID), c.RulesAt(r.Position))
}

// count takes an accepted record in.
func (s *Stats) count(r *count.Record) error {
	e := r.Event
	if e.SessionID == nil {
		s.Totals.Sessionless++
	}
	if !s.v.Wants(e.SiteID) || s.v.purged(s.Chain, r) {
		return nil
	}
	site := s.siteOf(r)
	s.v.FindErasure(r)
	if r.Apart = s.v.Excluded(r); r.Apart {
		s.foldExcluded(site, r)
		return s.v.Raw.expect(s.Chain, r, leftBy(r), true, count.NoBot)
	}
	id, by := "", count.BotOf(s.classifier, r)
	over := by == count.NoBot && s.spend(site, r)
	if by == count.NoBot && !over { // A visit continues while it is a bot's by its rate.
		id = s.sessionOf(site, r)
		s.applyErasure(site, id, r)
		by = s.rated(site, id, r)
	}
	if by != count.NoBot {
		s.foldBot(site, r)
		return s.v.Raw.expect(s.Chain, r, id, true, by)
	}
	s.countPerson(site, r, over)
	if over {
		return s.v.Raw.expect(s.Chain, r, leftBy(r), true, count.NoBot)
	}
	s.arrive(site, r)
	var before, now *count.Session
	if id != "" {
		before, now = s.session(site, id, r)
		if err := s.reach(site, now, r); err != nil {
			return err
		}
	}
	if r.Settings.Breakdowns > 0 {
		s.breakDown(site, r, before, now)
	}
	return s.v.Raw.expect(s.Chain, r, id, true, count.NoBot)
}

// countPerson counts an event that is no bot's in its hour and its day.
func (s *Stats) countPerson(site *count.Site, r *count.Record, over bool) {
	own := count.SumsOf(r.Event)
	own.Counts[figures.ForeignEvents] = count.OneIf(count.IsForeign(r.Event, r.Ruling))
	own.Counts[figures.OverBudgetEvents] = count.OneIf(over)
	h := s.hour(site, r.Hour)
	h.Add(own)
	if r.Event.HasValue {
		h.Values.Join(count.Spread{From: r.Event.Value, To: r.Event.Value, Values: 1})
	}
	if h.See(s.v.Hasher.Visitor(r.Event.Visitor())) {
		s.v.Ledger.grow(site.Name, weighHash)
	}
	s.day(site, r.Day).Add(own)
}
