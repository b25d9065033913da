package capacity

import (
	"fmt"
	"math"
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
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
	w *Workload
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
	interval float64 // seconds
	phase    float64 // how long before whole intervals it flushes
	number   int     // of the interval of the last event
	step     int64
	events   int // that the next flush has
}

// simulate draws hours of a site and folds them. The site has events in spread partitions; only the partitions of the traffic
// are simulated.
func simulate(w *Workload, t *traffic, spread, hours int) *simulation {
	s := &simulation{w: w, memory: memory{items: make(map[string]map[string]*stored), book: make(book), hours: hours}}
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
			s.cut(l, l.number+1)
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
		p.lanes = append(p.lanes, &lane{fold: fold, interval: seconds, phase: phase * seconds, step: someStep})
	}
	options := aggregate.StatsOptions{Epoch: 1, Journal: aggregate.DefaultJournal}
	add(aggregate.NewStats(place(checkpoint.LaneStats, s.w.Stats), options), s.w.Stats)
	add(aggregate.NewRealtime(place(checkpoint.LaneRealtime, s.w.Realtime)), s.w.Realtime)
	return p
}

// take folds an event, after the flushes that come before it.
func (s *simulation) take(v *pageView) {
	p := s.parts[v.of.partition]
	for _, l := range p.lanes {
		s.cut(l, int(math.Floor((v.at+l.phase)/l.interval)))
	}
	s.now = v.at
	if s.counting() && s.w.Settings.RawEvents {
		f := s.book.of(itemEvent)
		f.write(s.w.EventBytes)
		f.store(1, s.w.EventBytes)
	}
	p.offset++
	r := aggregate.Input{Event: v.event(), Offset: p.offset, Time: instant(v.at)}
	r.Visitor = sketch.Hasher{}.Visitor(r.Event.Visitor())
	r.Page = p.pages.Text(aggregate.CutPage(r.Event.Page()))
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

// cut flushes the lane, if it has events and the interval of that number is another than theirs.
func (s *simulation) cut(l *lane, number int) {
	was := l.number
	l.number = number
	if l.events == 0 || number == was {
		return
	}
	at := float64(was+1)*l.interval - l.phase
	s.now = at
	plan := l.fold.Cut(instant(at) / 1000)
	for i := range plan.Writes {
		s.write(named[plan.Writes[i].Kind], &plan.Writes[i])
	}
	for i := range plan.Days {
		s.write(itemDay, &plan.Days[i])
	}
	for _, key := range plan.Deletes {
		s.replace(itemJournal, key, nil)
	}
	l.fold.Settled(l.step)
	l.step += int64(number - was)
	l.events = 0
	l.fold.Begin(l.step, &s.w.Settings)
}

// Ask implements [aggregate.Asker].
func (s *simulation) Ask(key sinks.Key, fill func(sinks.Item) error) {
	s.asked = append(s.asked, func() error { return fill(s.read(key)) })
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
