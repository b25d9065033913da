package answers_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/query"
)

var finalSeeds = flag.Int("seeds", 0, "how many worlds TestFinalNeverLies tries; 0: 2, or 10 in make test-all")

var finalSeed = flag.Uint64("seed", 0, "the first world that TestFinalNeverLies tries; without -seeds it is the only one")

// finalWorld is a site whose figures are asked again and again while its records come.
type finalWorld struct {
	*world
	dice      *rand.Rand
	setBack   bool // some records are dated earlier than when they are published
	published []dated
	claims    []claim
	asked     int
}

// dated is a published record.
type dated struct {
	at, event time.Time // its Kafka timestamp, and that of its event
	honest    bool      // its Kafka timestamp is that of its publication
}

// A claim is a bucket that an answer called final.
type claim struct {
	start, end, through time.Time
	events              int64
	asked               time.Time
}

const finalLateness = time.Hour

// accepted reports whether the event of a record is counted.
func (d dated) accepted() bool { return d.at.Sub(d.event) <= finalLateness }

func (c claim) has(d dated) bool { return !d.event.Before(c.start) && d.event.Before(c.end) }

// TestFinalNeverLies: whatever an answer says about completeness holds once everything is counted. go test -seeds N sets how many
// worlds are tried, and -seed N which is the first; without -seeds it is the only one. make test-all tries 10.
func TestFinalNeverLies(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	seeds, first := *finalSeeds, *finalSeed
	switch {
	case seeds > 0:
	case first > 0:
		seeds = 1
	default:
		seeds = slow.Of(t, 2, 10)
	}
	finals, asked := 0, 0
	for seed := first; seed < first+uint64(seeds); seed++ {
		inWorld(t, 1+int32(seed%3), func(t *testing.T, w *world) {
			f := &finalWorld{world: w, dice: rand.New(rand.NewPCG(seed, 31)), setBack: seed%2 == 1}
			f.run(1 + int32(seed%3))
			if f.judge(); t.Failed() {
				t.Errorf("again: seed %d", seed)
			}
			finals, asked = finals+len(f.claims), asked+f.asked
		})
		if (seed-first+1)%50 == 0 {
			t.Logf("%d seeds: %d buckets were final in %d answers", seed-first+1, finals, asked)
		}
	}
	t.Logf("%d seeds: %d buckets were final in %d answers", seeds, finals, asked)
	if finals < 100*seeds || asked < 10*seeds {
		t.Errorf("%d buckets were final in %d answers of %d worlds: too few to say anything", finals, asked, seeds)
	}
}

// run publishes records for some hours, with processes that come and go, and asks in between.
func (f *finalWorld) run(partitions int32) {
	o := f.Options()
	o.Settings.LateMs = finalLateness.Milliseconds()
	o.StatsInterval = time.Duration(2+f.dice.IntN(7)) * time.Second
	for p := range partitions {
		f.publish(p)
	}
	process := f.Start(o)
	f.Settled()
	rounds := 60 + f.dice.IntN(60)
	if !slow.Asked() && *finalSeeds == 0 && *finalSeed == 0 {
		rounds /= 3
	}
	for range rounds {
		switch f.dice.IntN(12) {
		case 0: // Records wait for a while.
			process.Drain()
			for range f.dice.IntN(20) {
				f.publish(f.dice.Int32N(partitions))
				f.Pass(time.Duration(f.dice.IntN(600)) * time.Second)
			}
			f.ask()
			process = f.Start(o)
		default:
			for p := range partitions {
				if f.dice.IntN(4) > 0 {
					f.publish(p)
				}
			}
		}
		f.Pass(time.Duration(f.dice.IntN(4000)) * time.Millisecond)
		f.ask()
		f.Pass(time.Duration(f.dice.IntN(300)) * time.Second)
	}
	f.Settled()
	process.Drain()
}

// publish publishes some records of a partition now.
func (f *finalWorld) publish(partition int32) {
	for range 1 + f.dice.IntN(8) {
		d := dated{at: time.Now().Truncate(time.Millisecond), honest: true}
		if f.setBack && f.dice.IntN(6) == 0 {
			d.at, d.honest = d.at.Add(-time.Duration(f.dice.IntN(5*3600))*time.Second), false
		}
		d.event = d.at.Add(-time.Duration(f.dice.IntN(f.dice.IntN(5400)+1)) * time.Second)
		f.Produce(record{Partition: partition, Key: "k", At: d.at, Value: mustJSON(map[string]any{"siteId": "shop", "type": "page_view",
			"timestamp": d.event.UnixMilli(), "visitorId": fmt.Sprint("v", f.dice.IntN(40)), "id": fmt.Sprint(len(f.published)), "url": "/"})})
		f.published = append(f.published, d)
	}
}

// ask asks for the last hours, and checks that what is said to be complete is.
func (f *finalWorld) ask() {
	a := f.stats()
	f.asked++
	if a.CompleteThrough == nil {
		if a.Totals.Events > 0 {
			f.T.Fatal("it is not known up to when figures are complete, after flushes")
		}
		return // All records so far are too late: no partition has counted anything of the site.
	}
	for _, b := range a.Buckets {
		of := claim{b.Start, b.End, *a.CompleteThrough, b.Events, time.Now()}
		known := int64(0)
		for _, d := range f.published {
			if d.honest && d.accepted() && d.at.Before(of.through) && of.has(d) {
				known++
			}
		}
		if b.Events < known {
			f.T.Errorf("at %v, the hour of %v has %d events, and %d were published before %v", of.asked, b.Start, b.Events, known, of.through)
		}
		if b.Final {
			f.claims = append(f.claims, of)
		}
	}
}

func (f *finalWorld) stats() query.StatsAnswer {
	f.T.Helper()
	a, err := query.New(f.Table, time.Now).Stats(f.T.Context(), query.StatsParams{Site: "shop", By: query.Hour,
		From: time.Now().Add(-48 * time.Hour), Fill: true})
	if err != nil {
		f.T.Fatal(err)
	}
	return a
}

// judge compares each claim with the figures of the end: only records that were dated before what was complete may have changed them.
func (f *finalWorld) judge() {
	end := make(map[int64]int64)
	for _, b := range f.stats().Buckets {
		end[b.Start.UnixMilli()] = b.Events
	}
	for _, c := range f.claims {
		all, earlier := int64(0), int64(0)
		for _, d := range f.published {
			if d.accepted() && c.has(d) {
				all++
				if !d.honest && d.at.Before(c.through) {
					earlier++
				}
				if !d.at.Before(c.through) {
					f.T.Errorf("an event of %v in a record of %v is counted: the hour of %v was final, complete through %v", d.event, d.at, c.start,
						c.through)
				}
			}
		}
		if now := end[c.start.UnixMilli()]; now != all {
			f.T.Errorf("the hour of %v has %d events, and %d were published", c.start, now, all)
		} else if now-c.events > earlier || c.events > now {
			f.T.Errorf("at %v, the hour of %v was final with %d events, complete through %v; it has %d, of which %d were dated back", c.asked,
				c.start, c.events, c.through, now, earlier)
		}
	}
}
