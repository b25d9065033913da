package capacity

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// someHour is an hour with so many events and as many guarded writes, of a unit each.
func someHour(events float64) book {
	b := make(book)
	for _, item := range []string{itemEvent, itemSession} {
		b.of(item).writeTimes(events, 100)
	}
	return b
}

func TestMembersCarryThePeak(t *testing.T) {
	w := DefaultWorkload()
	w.Partitions = 64
	w.Processes.RecordCPU, w.Processes.WriteCPU, w.Processes.RawEventCPU = 10*time.Microsecond, 200*time.Microsecond, 40*time.Microsecond
	const perSecond = 10_000
	l := Limits{TableQuota: 2 * perSecond / headroom}
	m := w.members(someHour(perSecond*hourSeconds), perSecond*hourSeconds, l)
	near(t, "CPU an event", m.CPUPerEvent, 250, 1e-9)
	near(t, "cores", m.Cores, 2.5, 1e-9)
	if m.Count != 3 { // 2.5 cores are 1.8 members at 70 % of two vCPU: two, and one more.
		t.Errorf("%d members, want 3", m.Count)
	}
	near(t, "memory", m.MemoryBytes, float64(48<<20+256<<20+64<<20+32*pipeline.PartitionBytes(w.Settings.Duplicates, 0)), 1e-9)
	if m.LagThreshold != 336_000 { // 5,600 events a second of a member at 70 %, for 60 s.
		t.Errorf("lag of a member %d, want 336000", m.LagThreshold)
	}
	// The table takes 14,286 events a second: 4,286 more than come.
	near(t, "catching up", m.CatchUp, 3600*perSecond/(perSecond/headroom-perSecond), 1e-6)
	if m.CatchUpBy != "table" || m.Takeover <= detection.Seconds() || m.Takeover > 2*detection.Seconds() {
		t.Errorf("members %+v, want the table to be the limit of catching up, and a takeover of some more than %v", m, detection)
	}
	w.RealtimeMax = 10 * w.Stats
	if longer := w.members(someHour(perSecond*hourSeconds), perSecond*hourSeconds, l); longer.LagThreshold != 5*m.LagThreshold {
		t.Errorf("lag of a member %d with realtime flushes of ten times the interval, want five times %d", longer.LagThreshold, m.LagThreshold)
	}
	w.Processes.VCPU, w.Partitions = 1, 3
	slow := w.members(someHour(perSecond*hourSeconds), perSecond*hourSeconds, Limits{TableQuota: 1e6})
	if slow.Count != 3 || slow.CatchUpBy != "cpu" {
		t.Errorf("members %+v, want three, one for each partition, and the CPU as the limit", slow)
	}
	near(t, "catching up by CPU", slow.CatchUp, 3600*perSecond/(3/250e-6-perSecond), 1e-6)
	w.Partitions = 1
	one := w.members(someHour(perSecond*hourSeconds), perSecond*hourSeconds, l)
	if one.Count != 1 || one.Takeover != 0 || one.CatchUp != 0 {
		t.Errorf("members %+v, want one that nothing takes over from, and that never catches up", one)
	}
	var text strings.Builder
	one.print(&text)
	for _, want := range []string{"Members: 1 of 1 vCPU", "One partition has one member", "never catch up"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing from\n%s", want, &text)
		}
	}
}

func TestNewTableIsWarmed(t *testing.T) {
	for _, c := range []struct {
		mean, peak float64
		warm       float64
		warned     bool
	}{{1000, 2000, 0, false}, {3500, 7000, 10_000, false}, {4500, 7000, 10_000, true}} {
		l := Limits{Mean: Rates{Table: c.mean}}
		l.quota(Rates{Table: c.peak})
		if warned := strings.Contains(strings.Join(l.remarks(), "\n"), "Warning: the mean load"); l.WarmUnits != c.warm || warned != c.warned {
			t.Errorf("at a mean of %g and a peak of %g: %g write units to warm, warning %v: want %g and %v", c.mean, c.peak, l.WarmUnits, warned,
				c.warm, c.warned)
		}
	}
}

// TestSpreadOfTheBusiestSiteAlone: its partitions add items to it, and to no other site.
func TestSpreadOfTheBusiestSiteAlone(t *testing.T) {
	w := quick(t)
	w.EventsPerDay, w.Sites, w.Partitions, w.Largest, w.Settings.Breakdowns = 200_000, 8, 8, 0.5, 0
	minutes := func() (all, busiest float64) {
		day := w.day()
		return day[0].hour[itemRealtime].made, day[0].busiest[itemRealtime].made
	}
	all, busiest := minutes()
	w.SpreadLargest = 8
	spreadAll, spreadBusiest := minutes()
	if spreadBusiest < 4*busiest {
		t.Errorf("%g realtime minutes of the busiest site in eight partitions, %g in one", spreadBusiest, busiest)
	}
	near(t, "minutes of the other sites", spreadAll-spreadBusiest, all-busiest, 0.001)
	w.Largest = 0
	if err := w.Validate(); err == nil || !strings.Contains(err.Error(), "--spread-largest 8: there is no busiest site") {
		t.Errorf("without a busiest site: %v", err)
	}
}

func TestTableClassAndRecoveryArePriced(t *testing.T) {
	day := Item{Units: 1e6, ReadUnits: 2e6, Bytes: 5 * gb, IndexBytes: 2 * gb}
	d := DefaultPrices().dollars(day, []Rates{{}})
	near(t, "infrequent access", d.Rare, 5*0.10+monthDays*(0.78+2*0.155), 1e-9)
	near(t, "recovery", d.Recovery, 3*0.20, 1e-9)
}

// TestViewsReadWhatIsPlanned asks a table that holds a day of a site, as a view does.
func TestViewsReadWhatIsPlanned(t *testing.T) {
	const hourly = 400
	w := quick(t)
	w.EventsPerDay, w.Stats = 24*hourly, 5*time.Minute
	drawn := simulate(&w, newTraffic(&w, hourly, 1), 1, 24, never)
	table := testworld.Table(t)
	key := sinks.Keys{}.SiteEntry(site)
	put := []sinks.Item{{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrEntity: sinks.Str(sinks.EntitySiteEntry),
		sinks.AttrSchema: sinks.Int(sinks.SchemaVersion)}}
	for pk, of := range drawn.items {
		for _, x := range of {
			if x.Item != nil && !strings.Contains(pk, "#SHARD#") {
				put = append(put, x.Item)
			}
		}
	}
	for _, it := range put {
		if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	end := time.UnixMilli(instant(24 * hourSeconds)).UTC()
	now := func() time.Time { return end.Add(-time.Minute) }
	heat := NewHeat(now)
	r, from := query.New(heat.Watch(table), now), end.Add(-24*time.Hour)
	_, err := r.Stats(t.Context(), query.StatsParams{Site: site, From: from, To: end, By: query.Hour})
	for _, dimension := range []string{"page", "referrer", "country"} {
		if _, failed := r.Top(t.Context(), query.TopParams{Site: site, From: from, To: end, Dimension: dimension}); failed != nil {
			err = failed
		}
	}
	if _, failed := r.Realtime(t.Context(), query.RealtimeParams{Site: site}); failed != nil || err != nil {
		t.Fatal(err, failed)
	}
	read := ReportCost([]SpentOf{{"http://one", heat.Spent()}}, DefaultPrices(), 1).Total.Reads
	hour, _, _ := w.hour(hourly)
	day := make(book)
	day.add(hour, 24)
	near(t, "read units of a view", w.viewUnits(day), read, 0.15)
	if !slow.Fewer(t) {
		near(t, "read units of a view of the plan", Make(w, DefaultPrices()).Readers.UnitsAView, read, 0.15)
	}
}
