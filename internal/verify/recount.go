package verify

import (
	"cmp"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// record is a record of the log, decoded.
type record struct {
	ruling           // of the step that it belongs to
	position, offset int64
	partition        int32
	time             int64        // the record's timestamp, milliseconds since the epoch
	reason           event.Reason // of the value alone
	event            *event.Event // its bytes are good until the next record
	id               []byte       // see identity, of well-formed records
	duplicate        bool         // its event is in the log before, within the window of its step
	hour, day        int64        // its buckets, of well-formed records in the stats lane
	erased           sites.Erased // those of its site, as of its step
	gone             bool         // its person is erased
	apart            bool         // it is in no session, even if it names one: beyond its site's budget, or of an excluded page
	alias            string       // of its visitor, if erased
	unsure           bool         // the log has lost a part of that window: it may be a duplicate all the same
}

// verdict says where the record ends in a chain: accepted, or the reason it was rejected for.
func (v *model) verdict(c *chain, r *record) event.Reason {
	s := r.settings
	c.ahead = c.ahead || r.time > c.eraAt(r.position).believed
	switch {
	case r.reason != event.Accepted:
		return r.reason
	case r.duplicate:
		return event.Duplicate
	case s.NotAfter > 0 && r.time > s.NotAfter:
		return event.BadRecordTime
	case r.event.Timestamp < endOf1970, s.LateMs >= 0 && r.time-r.event.Timestamp > s.LateMs:
		return event.TooLate
	case r.event.Timestamp-r.time > s.EarlyMs:
		return event.TooEarly
	}
	return c.counts(v, r)
}

// endOf1970 is when events can begin, milliseconds since the epoch: in 1970 lie seconds that were taken for milliseconds.
const endOf1970 = 31_536_000_000

// Buckets, in milliseconds.
const (
	minuteMs = 60_000
	hourMs   = 60 * minuteMs
	dayMs    = 24 * hourMs
)

func floor(t, size int64) int64 { return t - t%size } // Event times are not negative.

// sums are the counters of an hour or a day.
type sums struct {
	figures.Sums
	goals goalSums
}

func (s *sums) add(o sums) {
	s.Plus(&o.Sums)
	s.goals = s.goals.plus(o.goals)
}

// sumsOf is what an event adds to its bucket.
func sumsOf(e *event.Event) (s sums) {
	s.Counts[figures.Events], s.Counts[figures.PageViews] = 1, number(e.IsPageView())
	if e.HasValue {
		s.Counts[figures.Values] = 1
		s.AddMicros(figures.ValueMicros, int128.From(e.Value))
	}
	return s
}

// smallUniques is how many visitors a part of uniques has at most while it rides in the hour's stats item.
const smallUniques = 16

// hour is what one partition knows of an hour of a site.
type hour struct {
	sums
	visitors *sketch.Uniques
	early    []uint64 // the first smallUniques different hashes, in offset order
	values   spread
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (h *hour) Clone() *hour {
	if h == nil {
		return nil
	}
	o := *h
	o.visitors = h.visitors.Clone()
	return &o
}

// see takes a visitor in, and reports whether the part keeps more for it.
func (h *hour) see(hash uint64) bool {
	added := h.visitors.Add(hash)
	if added && len(h.early) < smallUniques {
		h.early = append(h.early, hash)
	}
	return added && h.visitors.Entries() >= 0
}

// small reports whether the part rides in the hour's stats item.
func (h *hour) small() bool {
	n := h.visitors.Entries()
	return n >= 0 && n <= smallUniques
}

// day is what one partition knows of a day of a site.
type day struct{ sums }

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (d *day) Clone() *day {
	if d == nil {
		return nil
	}
	o := *d
	return &o
}

// opening is a session and the position of its first record.
type opening struct {
	session  string
	position int64
}

// siteRecount is what one partition knows of a site.
type siteRecount struct {
	name       string
	first      int64 // position of its first counted record
	hours      map[int64]*cell[*hour]
	days       map[int64]*cell[*day]
	breakdowns map[int64]*cell[*breakdown]
	sessions   map[string]*cell[*session]
	visitors   map[string]*cell[*visitor]
	arrivals   map[string]*cell[*arrival] // by the visitor's hash
	opened     map[int64][]opening        // by minute of openedAt, in offset order
	listings   map[int64][]listing        // by hour of openedAt, in offset order

	conversions map[converted]*conversion
	drops       sites.DropIndex // as of a revision of the rules
	dropsRev    int64

	budget map[struct{}]*cell[*latestCount] // one cell, of a site that has had a budget
}

// statsRecount is the fold of a chain of the stats lane.
type statsRecount struct {
	step
	v          *model
	chain      *chain
	sites      map[string]*siteRecount
	totals     checkpoint.Totals
	classifier *classify.Classifier
}

func newStatsRecount(v *model, c *chain) *statsRecount {
	return &statsRecount{v: v, chain: c, sites: make(map[string]*siteRecount), classifier: classify.New(),
		totals: checkpoint.Totals{Rejected: make(map[event.Reason]int64)}}
}

// site returns what is known of a site, which may be nothing.
func (s *statsRecount) site(name string) *siteRecount { return cmp.Or(s.sites[name], &unseen) }

var unseen siteRecount

func (s *statsRecount) siteOf(r *record) *siteRecount {
	if known := s.sites[string(r.event.SiteID)]; known != nil {
		return known
	}
	site := &siteRecount{
		name: string(r.event.SiteID), first: r.position,
		hours: make(map[int64]*cell[*hour]), days: make(map[int64]*cell[*day]),
		breakdowns: make(map[int64]*cell[*breakdown]),
		sessions:   make(map[string]*cell[*session]), opened: make(map[int64][]opening), listings: make(map[int64][]listing),
		visitors: make(map[string]*cell[*visitor]), arrivals: make(map[string]*cell[*arrival]), conversions: make(map[converted]*conversion),
		budget: make(map[struct{}]*cell[*latestCount]),
	}
	s.sites[site.name] = site
	return site
}

// fold takes the next record in.
func (s *statsRecount) fold(r *record) error {
	switch reason := s.v.verdict(s.chain, r); {
	case reason == event.Accepted:
		s.totals.Counted++
		return s.count(r)
	case reason == event.Duplicate:
		s.totals.Duplicate++
	default:
		s.totals.Rejected[reason]++
		if r.reason != event.Accepted {
			return nil
		}
	}
	return s.v.raw.expect(s.chain, r, leftBy(r), false, none)
}

// count takes an accepted record in.
func (s *statsRecount) count(r *record) error {
	e := r.event
	if e.SessionID == nil {
		s.totals.Sessionless++
	}
	if !s.v.wants(e.SiteID) {
		return nil
	}
	site := s.siteOf(r)
	s.v.findErasure(r)
	if r.apart = s.v.excluded(r); r.apart {
		s.foldExcluded(site, r)
		return s.v.raw.expect(s.chain, r, leftBy(r), true, none)
	}
	id, by := "", listed(s.classifier, r)
	over := by == none && s.spend(site, r)
	if by == none && !over { // A visit continues while it is a bot's by its rate.
		id = s.sessionOf(site, r)
		s.applyErasure(site, id, r)
		by = s.rated(site, id, r)
	}
	if by != none {
		s.foldBot(site, r)
		return s.v.raw.expect(s.chain, r, id, true, by)
	}
	s.countPerson(site, r, over)
	if over {
		return s.v.raw.expect(s.chain, r, leftBy(r), true, none)
	}
	s.arrive(site, r)
	var before, now *session
	if id != "" {
		before, now = s.session(site, id, r)
		if err := s.reach(site, now, r); err != nil {
			return err
		}
	}
	if r.settings.Breakdowns > 0 {
		s.breakDown(site, r, before, now)
	}
	return s.v.raw.expect(s.chain, r, id, true, none)
}

// countPerson counts an event that is no bot's in its hour and its day.
func (s *statsRecount) countPerson(site *siteRecount, r *record, over bool) {
	own := sumsOf(r.event)
	own.Counts[figures.ForeignEvents], own.Counts[figures.OverBudgetEvents] = number(foreign(r.event, r.rules)), number(over)
	h := s.hour(site, r.hour)
	h.add(own)
	if r.event.HasValue {
		h.values.join(spread{r.event.Value, r.event.Value, 1})
	}
	if h.see(s.v.hasher.Visitor(r.event.Visitor())) {
		s.v.ledger.grow(site.name, weighHash)
	}
	s.day(site, r.day).add(own)
}

func (s *statsRecount) hour(site *siteRecount, start int64) *hour {
	c := change(&s.step, site.hours, start)
	if c.end == nil {
		c.end = &hour{visitors: sketch.NewHour()}
		s.v.ledger.grow(site.name, weighHour)
	}
	return c.end
}

func (s *statsRecount) day(site *siteRecount, start int64) *day {
	c := change(&s.step, site.days, start)
	if c.end == nil {
		c.end = new(day)
		s.v.ledger.grow(site.name, weighHour)
	}
	return c.end
}

// session takes a session's record in, and returns the session before it, nil for none, and after it. What the session
// contributes to the hour and the day of its start is taken out as it was and put in as it is: the start may have moved.
func (s *statsRecount) session(site *siteRecount, id string, r *record) (before, now *session) {
	e := r.event
	c := change(&s.step, site.sessions, id)
	if c.end == nil {
		c.end = &session{site: site.name, id: id, openedAt: e.Timestamp, startedAt: e.Timestamp, endedAt: e.Timestamp,
			hour: r.hour, day: r.day, booked: r.position}
		if rate := r.settings.Bots.Rate; rate > 0 {
			c.end.rush.take(e.Timestamp, rate)
		}
		s.v.ledger.grow(site.name, weighSession+weighOpening)
		s.decide(c.end, r)
		minute := floor(e.Timestamp, minuteMs)
		switch {
		case r.gone:
			c.end.erase()
		case r.rules == nil || !r.rules.NoRecent:
			site.opened[minute] = append(site.opened[minute], opening{c.end.id, r.position})
		}
	} else {
		before = c.end.Clone()
		s.book(site, c.end, -1)
		if e.Timestamp < c.end.startedAt {
			s.decide(c.end, r)
		}
	}
	s.belong(c.end, r)
	c.end.see(r)
	s.list(site, c.end, r)
	s.book(site, c.end, 1)
	return before, c.end
}

// decide has a record, whose event is the earliest of its session, say what the session is booked under.
func (s *statsRecount) decide(x *session, r *record) {
	if r.settings.Breakdowns == 0 || x.booked == notBooked {
		return
	}
	x.first = s.textsOf(r)
	x.first[sketch.Page] = ""
}

func (s *statsRecount) book(site *siteRecount, x *session, sign int64) {
	var own sums
	own.Counts[figures.Sessions], own.Counts[figures.DurationMs] = sign, sign*x.durationMs()
	own.Counts[figures.Bounces], own.Counts[figures.Engaged] = sign*number(x.bounce()), sign*number(x.engaged())
	s.hour(site, x.hour).add(own)
	s.day(site, x.day).add(own)
}
