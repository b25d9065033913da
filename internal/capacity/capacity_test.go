package capacity

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// quick is the default workload on days without a peak, whose lanes flush rarely: it takes little time to rehearse. In make test-all it has
// the default peak and intervals.
func quick(t *testing.T) Workload {
	t.Helper()
	w := DefaultWorkload()
	if slow.Fewer(t) {
		w.Peak, w.Stats, w.Realtime = 1, 5*time.Minute, time.Minute
	}
	return w
}

// near fails unless have is want, but for so large a share of it.
func near(t *testing.T, what string, have, want, share float64) {
	t.Helper()
	if math.Abs(have-want) > share*want {
		t.Errorf("%s: %.4g, want %.4g, %g of it more or less", what, have, want, share)
	}
}

// TestRehearsalAgreesWithTheArithmetic holds what was drawn against what can be computed: of sessions that begin at random, so
// that x of them touch an interval on average, exp(-x) of the intervals have none.
func TestRehearsalAgreesWithTheArithmetic(t *testing.T) {
	slow.Test(t)
	for _, hourly := range []float64{10, 100, 2000} {
		w := DefaultWorkload()
		b := w.rehearse(hourly, never).book
		sessions := hourly / w.EventsPerSession
		near(t, "sessions", b[itemSession].made, sessions, 0.02)
		near(t, "writes of sessions", b[itemSession].writes, sessions*w.perStep(w.Stats), 0.02)
		if listed := b.of(itemNew).total() + b.of(itemListed).total(); listed > sessions || hourly == 2000 && listed > sessions/8 {
			t.Errorf("%g events an hour: lists of %g units by visitor, of %g sessions", hourly, listed, sessions)
		}
		near(t, "entries in GSI1", b[itemSession].units[sinks.GSI1], sessions*w.Users, 0.1)
		near(t, "events", b[itemEvent].units[sinks.Base], hourly, 0.02)
		steps := hourSeconds / w.Stats.Seconds()
		near(t, "steps that touch a day", b[itemDay].writes, steps*(1-math.Exp(-sessions/steps*w.perStep(w.Stats))), 0.04)
		if b[itemHour].writes < b[itemDay].writes {
			t.Errorf("%g events an hour: %g writes of hours, %g of days: sessions go on behind their hour", hourly, b[itemHour].writes,
				b[itemDay].writes)
		}
	}
}

func TestPerStepCountsPauses(t *testing.T) {
	w := DefaultWorkload() // Three events, from 20 to 60 s apart.
	for interval, want := range map[time.Duration]float64{
		time.Second:       3, // Each in a step of its own.
		20 * time.Second:  3,
		time.Minute:       1 + 2*40.0/60,
		10 * time.Minute:  1 + 2*40.0/600,
		40 * time.Second:  1 + 2*35.0/40, // Pauses below 40 s are 30 s on average, the others are cut: 35 s.
		100 * time.Second: 1.8,
	} {
		near(t, interval.String(), w.perStep(interval), want, 1e-9)
	}
}

func TestDaySharesMakeADayOfTheGivenPeak(t *testing.T) {
	for _, peak := range []float64{1, 1.5, 2, 4, maxPeak} {
		s := dayShares(peak)
		near(t, "a day", s[0]+2*s[1]+2*s[2]+s[3], 1, 1e-9)
		near(t, "the peak", 6*s[0], peak, 1e-6)
		if peak > 1 && !(s[0] > s[1] && s[1] > s[2] && s[2] > s[3]) {
			t.Errorf("peak %g: shares %v do not fall to the night", peak, s)
		}
	}
}

func TestEqualWorkloadsHaveEqualPlans(t *testing.T) {
	slow.Test(t)
	w := DefaultWorkload()
	w.EventsPerDay, w.Sites, w.Partitions, w.Sessionless, w.Peak = 100_000, 3, 4, 0.1, 1
	var plans []string
	for range 2 {
		text, err := json.Marshal(Make(w, DefaultPrices()))
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, string(text))
	}
	if plans[0] != plans[1] {
		t.Errorf("two plans of one workload differ:\n%s\n%s", plans[0], plans[1])
	}
}

func TestWhatIsOffIsNotPlanned(t *testing.T) {
	w := quick(t)
	w.Settings.RawEvents, w.Settings.Breakdowns = false, 0
	for _, it := range Make(w, DefaultPrices()).Items {
		switch it.Entity {
		case sinks.EntityEvent, sinks.EntityBreakdown, sinks.EntitySealedBreakdown, sinks.EntityVisitor, sinks.EntityArrival:
			t.Errorf("%+v is planned, and never written", it)
		case "":
			t.Errorf("%q is not in the catalogue", it.Item)
		}
	}
}

func TestPlannedItemsAddUp(t *testing.T) {
	for _, peak := range []float64{1, 2}[:slow.Of(t, 1, 2)] {
		w := quick(t)
		w.Peak, w.EventsPerDay, w.Sites, w.Largest, w.Sessionless, w.Settings.Breakdowns = peak, 1_000_000, 20, 0.5, 0.3, 0
		p := Make(w, DefaultPrices())
		var units, events float64
		for _, it := range p.Items {
			units += it.Units
			if it.Entity == sinks.EntityEvent {
				events = it.Units
			}
		}
		near(t, "the total", p.Total.Units, units, 1e-9)
		near(t, "events", events, w.EventsPerDay, 0.02)
		d := p.Dollars
		near(t, "dollars on demand", d.OnDemand, d.Storage+monthDays*(units*0.625+p.Total.ReadUnits*0.125)/1e6, 1e-9)
		if d.Scaled > d.Provisioned || d.Scaled <= d.Storage {
			t.Errorf("dollars %+v: capacity that follows the day costs no more than that of the peak, and something", d)
		}
	}
}

func TestRetentionDecidesWhatIsStored(t *testing.T) {
	w := quick(t)
	w.Settings.Breakdowns = 0
	stored := func() float64 {
		items := Make(w, DefaultPrices()).Items
		i := slices.IndexFunc(items, func(it Item) bool { return it.Entity == sinks.EntityEvent })
		return items[i].Stored
	}
	w.Settings.Retention.RawDays = 7
	near(t, "a week, and two days to delete it", stored(), 9*w.EventsPerDay, 0.02)
	w.Settings.Retention.RawDays = checkpoint.Never
	near(t, "days that are counted of what is kept for ever", w.kept(itemEvent), 365, 0)
	if !slow.Fewer(t) {
		near(t, "for ever: the plan counts a year", stored(), 365*w.EventsPerDay, 0.02)
	}
}

// TestBusySitesAreScaled: beyond what is drawn, events and sessions go on to grow, and the hour's items do not.
func TestBusySitesAreScaled(t *testing.T) {
	w := quick(t)
	w.Stats, w.EventsPerSession, w.Settings.Breakdowns = 5*time.Minute, 10, 0
	once, twice := w.rehearse(mostEvents, never).book, w.rehearse(2*mostEvents, never).book
	for _, item := range []string{itemEvent, itemSession} {
		near(t, item, twice[item].total(), 2*once[item].total(), 0.02)
	}
	near(t, "units of recent sessions", twice[itemRecent].total(), 2*once[itemRecent].total(), 0.1)
	near(t, "writes of recent sessions", twice[itemRecent].writes, once[itemRecent].writes, 0.6) // 500 an item.
	if once[itemHour].writes != twice[itemHour].writes {
		t.Errorf("%g writes of hours at %d events, %g at twice as many", once[itemHour].writes, mostEvents, twice[itemHour].writes)
	}
}

// TestSampledPartitionsAreScaled: of a busy site only some partitions are folded.
func TestSampledPartitionsAreScaled(t *testing.T) {
	slow.Test(t)
	w := DefaultWorkload()
	w.Partitions = 8
	const rate = 2 * mostEvents
	sample, all := w.rehearse(rate, never).book, simulate(&w, newTraffic(&w, rate, 8), 8, 1, never).book
	for _, item := range []string{itemEvent, itemSession, itemRecent, itemListed, itemHour, itemDay, itemUniques, itemBreakdown,
		itemRealtime} {
		near(t, "units of "+item, sample[item].total(), all[item].total(), 0.05)
		near(t, "stored of "+item, sample[item].bytes, all[item].bytes, 0.05)
	}
}

func TestLimitsAreNamed(t *testing.T) {
	slow.Test(t)
	w := DefaultWorkload()
	w.EventsPerDay, w.Partitions, w.Peak = 4e9, 16, 1
	w.Settings.Breakdowns = 0
	p := Make(w, DefaultPrices())
	// 46,296 events a second: at 70 % of 1,000 they need 67 shards, which there are not.
	if p.Limits.ShardsNeeded <= sinks.MaxShards || p.Limits.AskFor < 46_296 {
		t.Errorf("limits %+v: want more shards than there are, and a quota above the default", p.Limits)
	}
	var text strings.Builder
	if err := Print(&text, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"No number of shards is enough", "Ask AWS for a table quota", "Key SITE#site-1.example#SHARD#00 takes",
		"the account's quota"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing from\n%s", want, &text)
		}
	}
	w = DefaultWorkload()
	w.EventsPerDay = 500_000_000 // 11,574 events a second at the peak.
	w.Shards = 8
	w.Settings.Breakdowns = 0
	l := Make(w, DefaultPrices()).Limits
	if l.ShardsNeeded <= 16 || l.ShardsNeeded > sinks.MaxShards+1 {
		t.Errorf("%d shards needed for 11,574 events a second", l.ShardsNeeded)
	}
	w = DefaultWorkload()
	w.EventsPerDay = 10_000
	if l := Make(w, DefaultPrices()).Limits; len(l.remarks()) > 0 || l.ShardsNeeded != 1 {
		t.Errorf("a small site has limits %+v, and remarks %q", l, l.remarks())
	}
}

func TestWorkloadNamesEveryFault(t *testing.T) {
	w := DefaultWorkload()
	if err := w.Validate(); err != nil {
		t.Fatalf("the default workload: %v", err)
	}
	w.EventsPerDay, w.Peak, w.Spread, w.Shards, w.Users, w.Think = math.NaN(), 6, 2, 65, -0.1, -time.Second
	err := w.Validate()
	for _, want := range []string{"--events-per-day NaN: choose 1 to", "--peak 6: choose 1 to 5.9", "--spread 2: choose 0 to 1",
		"--shards 65: choose 1 to 64", "--users -0.1: choose 0 to 1", "--think -1s: choose 1ms to 30m0s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from %v", want, err)
		}
	}
	w = DefaultWorkload()
	w.Largest = 0.5
	if err := w.Validate(); err == nil || !strings.Contains(err.Error(), "the only site") {
		t.Errorf("a busiest site of one: %v", err)
	}
	w.Sites, w.Largest = 10, 0.05
	if err := w.Validate(); err == nil || !strings.Contains(err.Error(), "0.1 of the events at least") {
		t.Errorf("a busiest site below the mean: %v", err)
	}
}

func TestPricesAreChecked(t *testing.T) {
	p := DefaultPrices()
	p.ReadHour = math.Inf(1)
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "--price-read-capacity +Inf") {
		t.Errorf("an infinite price: %v", err)
	}
}
