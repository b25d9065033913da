package recount

import (
	"cmp"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sketch"
)

// verdict says where the record ends in a chain: accepted, or the reason it was rejected for.
func (v *Model) verdict(c *Chain, r *count.Record) event.Reason {
	s := r.Settings
	c.Ahead = c.Ahead || r.Time > c.eraAt(r.Position).believed
	switch {
	case r.Reason != event.Accepted:
		return r.Reason
	case r.Duplicate:
		return event.Duplicate
	case s.NotAfter > 0 && r.Time > s.NotAfter:
		return event.BadRecordTime
	case r.Event.Timestamp < endOf1970, s.LateMs >= 0 && r.Time-r.Event.Timestamp > s.LateMs:
		return event.TooLate
	case r.Event.Timestamp-r.Time > s.EarlyMs:
		return event.TooEarly
	}
	return c.counts(v, r)
}

// endOf1970 is when events can begin, milliseconds since the epoch: in 1970 lie seconds that were taken for milliseconds.
const endOf1970 = 31_536_000_000

// Stats is the fold of a chain of the stats lane.
type Stats struct {
	count.Step
	v          *Model
	Chain      *Chain
	Sites      map[string]*count.Site
	Totals     checkpoint.Totals
	classifier *classify.Classifier
}

func newStatsRecount(v *Model, c *Chain) *Stats {
	return &Stats{v: v, Chain: c, Sites: make(map[string]*count.Site), classifier: classify.New(),
		Totals: checkpoint.Totals{Rejected: make(map[event.Reason]int64)}}
}

// Site returns what is known of a site, which may be nothing.
func (s *Stats) Site(name string) *count.Site { return cmp.Or(s.Sites[name], &unseen) }

var unseen count.Site

func (s *Stats) siteOf(r *count.Record) *count.Site {
	if known := s.Sites[string(r.Event.SiteID)]; known != nil {
		return known
	}
	site := &count.Site{
		Name: string(r.Event.SiteID), First: r.Position,
		Hours: make(map[int64]*count.Cell[*count.Hour]), Days: make(map[int64]*count.Cell[*count.Day]),
		Breakdowns: make(map[int64]*count.Cell[*count.Breakdown]),
		Sessions:   make(map[string]*count.Cell[*count.Session]), Opened: make(map[int64][]count.Opening), Listings: make(map[int64][]count.Listing),
		Visitors: make(map[string]*count.Cell[*count.Visitor]), Arrivals: make(map[string]*count.Cell[*count.Arrival]), Conversions: make(map[count.Converted]*count.Conversion),
		Budget: make(map[struct{}]*count.Cell[*count.LatestCount]),
	}
	s.Sites[site.Name] = site
	return site
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
	return s.v.Raw.expect(s.Chain, r, leftBy(r), false, count.NoBot)
}

// count takes an accepted record in.
func (s *Stats) count(r *count.Record) error {
	e := r.Event
	if e.SessionID == nil {
		s.Totals.Sessionless++
	}
	if !s.v.Wants(e.SiteID) {
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
	own.Counts[figures.ForeignEvents], own.Counts[figures.OverBudgetEvents] = count.OneIf(count.IsForeign(r.Event, r.Rules)), count.OneIf(over)
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

func (s *Stats) hour(site *count.Site, start int64) *count.Hour {
	c := count.Change(&s.Step, site.Hours, start)
	if c.End == nil {
		c.End = &count.Hour{Visitors: sketch.NewHour()}
		s.v.Ledger.grow(site.Name, weighHour)
	}
	return c.End
}

func (s *Stats) day(site *count.Site, start int64) *count.Day {
	c := count.Change(&s.Step, site.Days, start)
	if c.End == nil {
		c.End = new(count.Day)
		s.v.Ledger.grow(site.Name, weighHour)
	}
	return c.End
}

// session takes a session's record in, and returns the session before it, nil for none, and after it. What the session
// contributes to the hour and the day of its start is taken out as it was and put in as it is: the start may have moved.
func (s *Stats) session(site *count.Site, id string, r *count.Record) (before, now *count.Session) {
	e := r.Event
	c := count.Change(&s.Step, site.Sessions, id)
	if c.End == nil {
		c.End = &count.Session{Site: site.Name, ID: id, OpenedAt: e.Timestamp, StartedAt: e.Timestamp, EndedAt: e.Timestamp,
			Hour: r.Hour, Day: r.Day, Booked: r.Position}
		if rate := r.Settings.Bots.Rate; rate > 0 {
			c.End.Rush.Take(e.Timestamp, rate)
		}
		s.v.Ledger.grow(site.Name, weighSession+weighOpening)
		s.decide(c.End, r)
		minute := count.Floor(e.Timestamp, count.MinuteMs)
		switch {
		case r.Gone:
			c.End.Erase()
		case r.Rules == nil || !r.Rules.NoRecent:
			site.Opened[minute] = append(site.Opened[minute], count.Opening{Session: c.End.ID, Position: r.Position})
		}
	} else {
		before = c.End.Clone()
		s.book(site, c.End, -1)
		if e.Timestamp < c.End.StartedAt {
			s.decide(c.End, r)
		}
	}
	s.belong(c.End, r)
	c.End.See(r)
	s.list(site, c.End, r)
	s.book(site, c.End, 1)
	return before, c.End
}

// decide has a record, whose event is the earliest of its session, say what the session is booked under.
func (s *Stats) decide(x *count.Session, r *count.Record) {
	if r.Settings.Breakdowns == 0 || x.Booked == count.NotBooked {
		return
	}
	x.First = s.textsOf(r)
	x.First[sketch.Page] = ""
}

func (s *Stats) book(site *count.Site, x *count.Session, sign int64) {
	var own count.Sums
	own.Counts[figures.Sessions], own.Counts[figures.DurationMs] = sign, sign*x.DurationMs()
	own.Counts[figures.Bounces], own.Counts[figures.Engaged] = sign*count.OneIf(x.Bounce()), sign*count.OneIf(x.Engaged())
	s.hour(site, x.Hour).Add(own)
	s.day(site, x.Day).Add(own)
}
