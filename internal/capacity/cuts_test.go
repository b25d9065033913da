package capacity

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// TestFlushesEndAtTheirLimits lists the ends of flushes at 300 s, whose writes take 150 s.
func TestFlushesEndAtTheirLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		full float64
		pace float64
		want []float64
	}{
		{"with the interval", math.Inf(1), 150, []float64{300, 600, 900, 1200, 1500, 1800}},
		{"at a limit, and with the interval once the last one is written", 200, 150, []float64{200, 350, 550, 700, 900, 1100}},
		{"at a limit, but not before the last one is written", 100, 150, []float64{150, 300, 450, 600, 750, 900}},
		{"at a limit alone, where the partition is behind", 60, 0, []float64{60, 120, 180, 240, 300, 360}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSchedule(300, 0, c.pace, c.full, 0)
			var ends []float64
			for range c.want {
				ends = append(ends, s.end)
				s.next()
			}
			if !slices.Equal(ends, c.want) {
				t.Errorf("flushes end at %v, want %v", ends, c.want)
			}
		})
	}
}

// TestLimitsCostUnits plans sites of one size over some partitions, whose flushes may have 300 items.
func TestLimitsCostUnits(t *testing.T) {
	plan := func(partitions, items int) Plan {
		w := quick(t)
		w.EventsPerDay, w.Sites, w.Partitions, w.Spread, w.Peak, w.FlushItems = 1_000_000, 64, partitions, 1, 1, items
		w.Stats, w.Settings.Breakdowns = 5*time.Minute, 0
		return Make(w, DefaultPrices())
	}
	unitsOf := func(p Plan) (hours, sessions float64) {
		for _, it := range p.Items {
			switch it.Item {
			case itemHour:
				hours = it.Units
			case itemSession:
				sessions = it.Units
			}
		}
		return hours, sessions
	}
	wholeHours, wholeSessions := unitsOf(plan(64, 40_000))
	cases := []struct {
		partitions int
		early      bool
		hours      float64 // as many times the units as with whole intervals
	}{{64, false, 1}, {1, true, 10}, {4, true, 1.7}}
	for _, c := range cases[:slow.Of(t, 2, len(cases))] {
		p := plan(c.partitions, 300)
		hours, sessions := unitsOf(p)
		if early := len(p.Limits.Early) > 0; early != c.early || sessions > wholeSessions != c.early {
			t.Errorf("%d partitions: early flushes %+v, %.0f units of sessions, %.0f with whole intervals", c.partitions, p.Limits.Early,
				sessions, wholeSessions)
		}
		if hours < 0.9*c.hours*wholeHours || !c.early && hours != wholeHours {
			t.Errorf("%d partitions: %.0f units of hours, want %g times as many as the %.0f with whole intervals", c.partitions, hours, c.hours,
				wholeHours)
		}
		var text strings.Builder
		if err := Print(&text, p); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "flushes of the stats lane reach limits.flushItems after") != c.early {
			t.Errorf("%d partitions: early flushes are to be named: %v\n%s", c.partitions, c.early, &text)
		}
	}
}

// TestLimitsOfBytesCut: breakdowns count for their bytes.
func TestLimitsOfBytesCut(t *testing.T) {
	w := quick(t)
	w.Stats, w.FlushBytes = time.Minute, 300<<10
	drawn := w.rehearse(30_000, never)
	e := w.ends(&drawn.growths).early
	if len(e) != 1 || e[0].Limit != limitBytes || e[0].Lane != checkpoint.LaneStats || e[0].Seconds >= 60 {
		t.Errorf("early flushes %+v, want those of the stats lane at %s", e, limitBytes)
	}
}

// TestBusiestSiteCutsItsPartitionOnly: other partitions have the flushes that their own sites make.
func TestBusiestSiteCutsItsPartitionOnly(t *testing.T) {
	w := quick(t)
	w.Sites, w.Partitions, w.Spread, w.Largest, w.Stats = 10, 10, 1, 0.7, 5*time.Minute
	w.Settings.Breakdowns = 0
	rates, sites := []float64{30_000, 1500}, []float64{1, 9}
	whole, _, early := w.under(rates, sites)
	if len(early) > 0 {
		t.Fatalf("early flushes %+v: the test is void", early)
	}
	w.FlushItems = 1000
	cut, common, early := w.under(rates, sites)
	if len(early) != 1 || !math.IsInf(common.full[0], 1) {
		t.Errorf("early flushes %+v of the busiest site, %+v of others", early, common)
	}
	if cut[0][itemHour].writes <= whole[0][itemHour].writes || cut[1][itemHour].writes != whole[1][itemHour].writes {
		t.Errorf("%.0f and %.2f writes of hours, %.0f and %.2f with whole intervals", cut[0][itemHour].writes, cut[1][itemHour].writes,
			whole[0][itemHour].writes, whole[1][itemHour].writes)
	}
}

// TestPackedEventsCutFlushes: a flush has packed events as they are before they are compressed, as package pipeline counts them.
func TestPackedEventsCutFlushes(t *testing.T) {
	w := quick(t)
	w.EventsPerDay, w.Stats, w.FlushBytes, w.Settings.Breakdowns = 720_000, 5*time.Minute, 9<<17, 0
	plan := func() (hours float64, early []Early) {
		all, _, early := w.hour(w.EventsPerDay / 24)
		return all[itemHour].writes, early
	}
	w.Settings.RawPacked = false
	whole, e := plan()
	if len(e) > 0 {
		t.Fatalf("early flushes %+v without packs: the test is void", e)
	}
	w.Settings.RawPacked = true
	cut, e := plan()
	if len(e) != 1 || e[0].Limit != limitBytes || e[0].Lane != checkpoint.LaneStats || e[0].Seconds >= 300 {
		t.Errorf("early flushes %+v with packs, want those of the stats lane at %s", e, limitBytes)
	}
	if cut < 1.3*whole {
		t.Errorf("%.0f writes of hours with early flushes, %.0f with whole intervals: want 1.3 times as many", cut, whole)
	}
}

// TestFewShardsOfSmallSites: a small site's packs cost less in one shard, which is enough for it.
func TestFewShardsOfSmallSites(t *testing.T) {
	w := quick(t)
	w.EventsPerDay, w.Sites, w.Partitions, w.Spread, w.Stats, w.Settings.RawPacked = 100_000, 20, 8, 1, 5*time.Minute, true
	w.Settings.Breakdowns = 0
	units := func(p Plan) float64 { return p.Total.Units / w.EventsPerDay }
	many := Make(w, DefaultPrices())
	fewer := many.Packed.Fewer
	if fewer == nil || fewer.Shards != 1 || fewer.UnitsAnEvent >= many.Packed.UnitsAnEvent {
		t.Fatalf("packs %+v, %+v of fewer shards; want one shard that costs less", many.Packed, fewer)
	}
	w.Shards = 1
	one := Make(w, DefaultPrices())
	if one.Packed.Fewer != nil || math.Abs(one.Packed.UnitsAnEvent-fewer.UnitsAnEvent) > 1e-9 {
		t.Errorf("packs in one shard: %+v, want %g units an event and no other number of shards", one.Packed, fewer.UnitsAnEvent)
	}
	saved, said := units(many)-units(one), many.Packed.UnitsAnEvent-fewer.UnitsAnEvent
	if math.Abs(saved-said) > 0.2*said {
		t.Errorf("one shard saves %.3f units an event of the plan, and %.3f by what it says", saved, said)
	}
}
