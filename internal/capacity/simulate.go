package capacity

import (
	"fmt"
	"math"
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Typical numbers: a number's size is that of its digits.
const (
	someStep = 123_456
	somePos  = 123_456_789
)

// simulation is some hours of a site as the workers of its partitions have them. Package aggregate folds the events and makes the
// writes of each flush; memory takes them.
type simulation struct {
	w    *Workload
	ends ends
	memory
	parts []*partition
	asked []func() error // reads what folds have asked for
	rules sites.View     // of the site
}

// partition is what the worker of one partition has of the site.
type partition struct {
	lanes  []*lane
	pages  aggregate.Pages
	offset int64
}

// lane is one lane of a partition.
type lane struct {
	fold     aggregate.Fold
	interval float64   // seconds
	phase    float64   // how long before whole intervals it flushes
	pace     float64   // seconds in which a flush is written
	full     float64   // seconds in which a flush reaches a limit
	flushes  *schedule // nil before the first event
	gauge    gauge
	step     int64
	events   int // that the next flush has
}

// simulate draws hours of a site and folds them. The site has events in spread partitions; only the partitions of the traffic
// are simulated. Their flushes end at the given ends.
func simulate(w *Workload, t *traffic, spread, hours int, e ends) *simulation {
	s := &simulation{w: w, ends: e, memory: memory{items: make(map[string]map[string]*stored), book: make(book), hours: hours,
		runUp: w.runUp() > 0}}
	if len(w.Rows)+w.Properties > 0 || w.NewVisitors {
		var err error
		s.rules, err = sites.ViewOf(site, &sites.Rules{Rows: w.Rows, NewVisitors: w.NewVisitors, Properties: w.chosen()})
		must(err)
	}
	classes := classify.New()
	for n := range t.partitions {
		s.parts = append(s.parts, s.partition(sinks.TP{Topic: 1, Partition: int32(n)}, classes, t.rng.Float64()))
	}
	for n := t.partitions; n < spread; n++ {
		s.marks = append(s.marks, sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: 1, Partition: int32(n)}))
	}
	views := t.draw(hours)
	for i := range views {
		s.take(&views[i])
	}
	for _, p := range s.parts {
		for _, l := range p.lanes {
			s.cut(l)
		}
	}
	s.store()
	return s
}

// partition begins the lanes of a partition. Their flushes come at a phase, 0 to 1, of their intervals.
func (s *simulation) partition(tp sinks.TP, classes *classify.Classifier, phase float64) *partition {
	p := &partition{pages: make(aggregate.Pages), offset: somePos}
	seen := make(aggregate.Sites)
	place := func(lane string, interval time.Duration) aggregate.Place {
		return aggregate.Place{TP: tp, Topic: "events", Mark: sinks.AttrMark(lane, tp), SessionShards: sinks.DefaultShards, Sites: seen,
			Classes: classes, Keep: max(2, int64(30*time.Minute/interval)), Max: math.MaxInt}
	}
	add := func(fold aggregate.Fold, interval time.Duration) {
		fold.Begin(someStep, &s.w.Settings)
		fold.Under(s.rules)
		// A little shorter, so that the flushes of many hours come at all parts of a minute.
		seconds := interval.Seconds() / (1 + interval.Hours()*float64(s.hours-1)/float64(s.hours*s.hours))
		n := len(p.lanes)
		p.lanes = append(p.lanes, &lane{fold: fold, interval: seconds, phase: phase * seconds, pace: s.w.pace(n, &s.ends), full: s.ends.full[n],
			step: someStep})
	}
	options := aggregate.StatsOptions{Epoch: 1, Journal: aggregate.DefaultJournal}
	add(aggregate.NewStats(place(checkpoint.LaneStats, s.w.Stats), options), s.w.Stats)
	realtime := s.w.longest()[realtimeLane]
	add(aggregate.NewRealtime(place(checkpoint.LaneRealtime, realtime)), realtime)
	return p
}

// take folds an event, after the flushes that come before it.
func (s *simulation) take(v *pageView) {
	p := s.parts[v.of.partition]
	for _, l := range p.lanes {
		s.flush(l, v.at)
	}
	s.now = v.at
	if s.counting() && s.w.Settings.RawEvents && !s.w.Settings.RawPacked {
		f := s.book.of(itemEvent)
		f.write(s.w.EventBytes)
		f.store(1, s.w.EventBytes)
	}
	p.offset++
	r := aggregate.Input{Event: v.event(), Offset: p.offset, Time: instant(v.at), ListedBy: classify.PresentRules}
	r.Visitor = sketch.Hasher{}.Visitor(r.Event.Visitor())
	r.Page = p.pages.Text(aggregate.TruncatePage(r.Event.Page()))
	for _, l := range p.lanes {
		l.fold.At(r.Time)
		l.fold.Prepare(&r, s)
	}
	s.load()
	for _, l := range p.lanes {
		l.fold.Want(&r, s)
	}
	for rest := true; rest; rest = len(s.asked) > 0 {
		s.load()
		for _, l := range p.lanes {
			must(l.fold.Loaded(s))
		}
	}
	for _, l := range p.lanes {
		l.fold.Add(&r)
		l.events++
	}
}

// flush makes the lane's flushes that end before an event at an instant.
func (s *simulation) flush(l *lane, at float64) {
	if l.flushes == nil {
		l.flushes = newSchedule(l.interval, l.phase, l.pace, l.full, at)
	}
	for l.flushes.end <= at {
		s.cut(l)
	}
	l.gauge.until(at, l.flushes, l, s.within(l.flushes))
}

// within reports whether the flush lies in the hours that are counted.
func (s *simulation) within(f *schedule) bool {
	return f.begin >= 0 && f.end <= float64(s.hours*hourSeconds)
}

// cut ends the lane's flush, and writes it if it has events. The next one begins.
func (s *simulation) cut(l *lane) {
	if l.flushes == nil {
		return
	}
	end := l.flushes.end
	l.gauge.until(end, l.flushes, l, s.within(l.flushes))
	l.gauge.age = 0
	l.flushes.next()
	if l.events > 0 {
		s.now = end
		s.apply(l.fold.Cut(instant(end) / 1000))
		l.fold.Settled(l.step)
		l.events = 0
	}
	l.step++
	l.fold.Begin(l.step, &s.w.Settings)
}

// apply writes what a flush amounts to.
func (s *simulation) apply(plan plan.Plan) {
	for i := range plan.Writes {
		s.write(named[plan.Writes[i].Kind], &plan.Writes[i])
	}
	for i := range plan.Days {
		s.write(itemDay, &plan.Days[i])
	}
	for _, key := range plan.Deletes {
		s.replace(itemJournal, key, nil)
	}
}

// growths are how the flushes of a partition grow with the site's events.
func (s *simulation) growths() (g growths) {
	for _, p := range s.parts {
		for i, l := range p.lanes {
			steps := float64(s.hours*hourSeconds)/l.interval - 1 // Those of the hours' edges are not counted.
			for age := range g[i] {
				g[i][age].items += l.gauge.growth[age].items / max(1, steps) / float64(len(s.parts))
				g[i][age].events += l.gauge.growth[age].events / max(1, steps) / float64(len(s.parts))
				g[i][age].bytes += l.gauge.growth[age].bytes / max(1, steps) / float64(len(s.parts))
			}
		}
	}
	return g
}

// Ask implements [aggregate.Asker].
func (s *simulation) Ask(key sinks.Key, to aggregate.Filler) {
	s.asked = append(s.asked, func() error { return to.Fill(s.read(key)) })
}

// AskAll implements [aggregate.Asker].
func (s *simulation) AskAll(_ string, q sinks.Query, each func(sinks.Item) error) {
	s.asked = append(s.asked, func() error {
		for _, it := range s.query(q) {
			if err := each(it); err != nil {
				return err
			}
		}
		return nil
	})
}

// load reads what was asked for. Queries come last, because the items that were read ask for them.
func (s *simulation) load() {
	for i := 0; i < len(s.asked); i++ {
		must(s.asked[i]())
	}
	s.asked = s.asked[:0]
}

// must panics when the site cannot have its rules, or a fold cannot read what it has written itself.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("simulated traffic cannot be folded: %v", err))
	}
}
