package longlife

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/upgrade"
	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/live"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

const (
	day        = 24 * time.Hour
	partitions = 2
	shop       = "shop"
	chains     = 2 * partitions
	logDays    = 40 // that the topic keeps records
)

// A life is a table with the decisions of its operators, day after day.
type life struct {
	*testpipeline.World
	t        *testing.T
	table    *metered
	began    time.Time
	stride   int // days from one run of a member to the next
	days     int // that are over
	deploys  int
	settings int // other ones that were deployed
	options  pipeline.Options
	measures []measure
}

// inLife begins a life of a table. A member runs at the end of each stride of days, and not all the time, which would take hours.
func inLife(t *testing.T, stride int, f func(l *life)) {
	testpipeline.InBubble(t, 1, partitions, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		table := &metered{Table: w.Table.(*memory.Table), keys: map[string]bool{sinks.Keys{}.TableSettings().PK: true}}
		w.Table = table
		w.RareFetches(10 * time.Second)
		testpipeline.MakeEarlier(t, table)
		l := &life{World: w, t: t, table: table, began: time.Now(), stride: stride}
		l.options = w.Options()
		l.options.Log = slog.New(slog.DiscardHandler)
		l.options.Settings.RawEvents, l.options.Settings.RawPacked = true, true
		l.options.Settings.Retention = checkpoint.Retention{RawDays: 14, SessionDays: 20, HourDays: 40, DayDays: 200}
		l.options.Seal.Interval = 20 * time.Second
		l.keep()
		w.Client.Close()
		f(l)
	})
}

// start starts a member.
func (l *life) start(o pipeline.Options) *testpipeline.Process {
	l.t.Helper()
	p, err := live.New(o)
	if err != nil {
		l.t.Fatal(err)
	}
	run := l.Run(p)
	l.t.Cleanup(run.Stop)
	return run
}

func (l *life) ok(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("day %d: %v", l.days, err)
	}
}

// until lets time pass up to an instant.
func (l *life) until(at time.Time) { l.Pass(time.Until(at)) }

// pass lets a stride of days pass: the events of the last one are counted, and what is decided on these days is.
func (l *life) pass() {
	end := l.began.Add(time.Duration(l.days+l.stride) * day)
	l.until(end.Add(-10 * time.Minute))
	l.deploy()
	l.Client = testworld.Client(l.t, l.Kafka())
	run := l.start(l.options)
	l.Produce(l.records()...)
	l.Settled()
	l.decide()
	l.Pass(30 * time.Second) // A pass of the sealer.
	run.Drain()
	l.Cluster.ApplyRetention()
	l.Client.Close() // One that is open asks for metadata all day.
	l.until(end)
	l.table.expire(l.t)
	l.days += l.stride
}

// records are those of the day: the same number each day.
func (l *life) records() (all []testpipeline.Record) {
	midnight := l.began.Add(time.Duration(l.days+l.stride-1) * day)
	now := time.Now()
	add := func(site string, n int, at time.Time, more map[string]any) {
		e := map[string]any{"siteId": site, "type": "page_view", "timestamp": at.UnixMilli(), "id": fmt.Sprint(site, l.days, "-", n),
			"visitorId": fmt.Sprint("v", (l.days*3+n/2)%60), "sessionId": fmt.Sprint("s", l.days, "-", n/2),
			"url": fmt.Sprintf("https://%s.example/p%d", site, n%7), "referrer": "https://news.example/", "country": "DE"}
		maps.Copy(e, more)
		all = append(all, testpipeline.Record{Partition: int32(n % partitions), At: now, Value: testpipeline.ToJSON(l.t, e)})
	}
	for n := range 16 {
		add(shop, n, midnight.Add(time.Duration(n)*85*time.Minute), nil)
	}
	for n := range 4 {
		add("blog", n, midnight.Add(time.Duration(n)*5*time.Hour), nil)
	}
	if l.days%50 < 3 {
		add(l.promo(), 0, midnight, nil)
	}
	add(shop, 98, midnight, map[string]any{"timestamp": "no time"}) // It is rejected.
	return all
}

func (l *life) promo() string { return fmt.Sprint("promo-", l.days/50) }

// keep has the topic keep records for logDays.
func (l *life) keep() {
	l.t.Helper()
	kept := fmt.Sprint((logDays * day).Milliseconds())
	_, err := kadm.NewClient(l.Client).AlterTopicConfigs(l.t.Context(), []kadm.AlterConfig{{Name: "retention.ms", Value: &kept}}, l.Topic)
	l.ok(err)
}

// due reports whether one of the stride's days is day at of a period of every days.
func (l *life) due(every, at int) bool {
	for n := range l.stride {
		if (l.days+n)%every == at {
			return true
		}
	}
	return false
}

// deploy replaces the members by others, every 18 days. Every second time they have other settings.
func (l *life) deploy() {
	if !l.due(18, 17) {
		return
	}
	l.deploys++
	l.settings += (l.deploys + 1) % 2
	s := &l.options.Settings
	switch l.deploys % 8 {
	case 0:
		s.Bots.Rate++
	case 2:
		s.LateMs += time.Hour.Milliseconds()
	case 4:
		s.Retention.SessionDays = 41 - s.Retention.SessionDays
	case 6:
		s.NonInteractive = []string{"ping", fmt.Sprint("beat", l.deploys)}
	}
}

// decide does what operators do, now and then.
func (l *life) decide() {
	l.t.Helper()
	ctx, now := l.t.Context(), time.Now()
	of := func(site string) sites.Decision {
		return sites.Decision{Table: l.table, Site: site, Now: now}
	}
	const once = 1 << 30
	if l.due(once, 0) {
		l.ok(sites.Create(ctx, l.table, sinks.Keys{}, sites.Definition{ID: "berlin", Zone: "Europe/Berlin"}, now))
	}
	if l.due(once, 5) {
		_, err := upgrade.Finalize(ctx, l.table, true)
		l.ok(err)
	}
	if l.due(once, 10) || l.due(once, 20) {
		l.migrate()
	}
	if l.due(60, 7) {
		name := fmt.Sprint("Shop ", l.days)
		_, err := of(shop).Update(ctx, sites.Changes{Name: &name, Domains: &[]string{"shop.example"}})
		l.ok(err)
	}
	if l.due(120, 30) {
		_, err := of(shop).Update(ctx, sites.Changes{Zone: []string{"Europe/Berlin", "America/New_York"}[l.days/120%2]})
		l.ok(err)
	}
	if l.due(90, 40) {
		_, err := of("blog").Update(ctx, sites.Changes{Days: map[string]int64{sinks.AttrHourDays: int64(30 + l.days/90%2)}})
		l.ok(err)
	}
	if l.due(50, 4) {
		l.ok(of(l.promo()).Delete(ctx))
	}
	if l.due(10, 3) {
		store := access.Store{Table: l.table, By: "test", Now: time.Now}
		_, _, err := store.Create(ctx, access.Stored{Kind: access.Share, Sites: []string{shop}, Rights: []access.Right{access.Read},
			ExpiresAt: now.Add(7 * day)})
		l.ok(err)
	}
	if l.due(45, 12) {
		store := annotations.Store{Table: l.table, By: "test", Now: time.Now}
		_, err := store.Create(ctx, shop, now, "a release")
		l.ok(err)
	}
	if l.due(60, 33) {
		_, err := erase.Run(ctx, erase.Options{Table: l.table, Site: shop, Person: sites.Visitor, ID: fmt.Sprint("v", l.days%60),
			Grace: time.Second, HashKey: l.options.HashKey})
		l.ok(err)
	}
}

// migrate counts the topic into another generation, makes that the live one, and drops the former.
func (l *life) migrate() {
	l.t.Helper()
	job := rebuild.Job{Pipeline: l.options, Log: slog.New(slog.DiscardHandler),
		Compared: func(rebuild.Comparison) (bool, error) { return true, nil }}
	r, err := job.Run(l.t.Context())
	l.ok(err)
	if !r.Flipped {
		l.t.Fatalf("day %d: %+v", l.days, r)
	}
	l.Settled()
	_, err = rebuild.Drop(l.t.Context(), l.table)
	l.ok(err)
}

// A measure is what was found of a table after some days.
type measure struct {
	days  int
	sizes map[string]size
	reads map[string]reads
}

// look measures the table, which no member writes.
func (l *life) look() {
	l.t.Helper()
	m := measure{l.days, l.table.sizes(l.t), make(map[string]reads)}
	o := l.options
	o.Seal.Interval = 0
	m.reads["takeover"] = l.table.spent(func() { l.takeover(o) })
	m.reads["checkpoints"] = l.table.spent(func() {
		number, _, err := sinks.LoadTopic(l.t.Context(), l.table.Table, l.Live(), l.Topic)
		l.ok(err)
		_, err = checkpoint.LoadChains(l.t.Context(), l.table, l.Live(), number)
		l.ok(err)
	})
	for name, days := range map[string]int{"day": 1, "week": 7, "month": 31} {
		from := l.began.Add(time.Duration(l.days-days) * day)
		to := l.began.Add(time.Duration(l.days) * day)
		ask := func(f func(r *query.Reader) error) reads {
			reader := query.NewOf(l.table, l.Live(), time.Now)
			return l.table.spent(func() { l.ok(f(reader)) })
		}
		m.reads["stats of a "+name] = ask(func(r *query.Reader) error {
			a, err := r.Stats(l.t.Context(), query.StatsParams{Site: shop, From: from, To: to, Zone: time.UTC})
			if err == nil && l.stride == 1 && a.Totals.Events != int64(16*days) {
				l.t.Errorf("%d events in %d days", a.Totals.Events, days)
			}
			return err
		})
		m.reads["pages of a "+name] = ask(func(r *query.Reader) error {
			_, err := r.Top(l.t.Context(), query.TopParams{Site: shop, Dimension: "page", From: from, To: to, Zone: time.UTC})
			return err
		})
	}
	l.measures = append(l.measures, m)
}

// takeover starts a member that takes over all chains and has nothing to count.
func (l *life) takeover(o pipeline.Options) {
	before := l.epochs()
	run := l.start(o)
	for !raised(before, l.epochs()) {
		l.Pass(time.Second)
	}
	run.Drain()
}

func (l *life) epochs() (all []int64) {
	keys := l.Live()
	number, _, err := sinks.LoadTopic(l.t.Context(), l.table.Table, keys, l.Topic)
	l.ok(err)
	for p := range int32(partitions) {
		for _, lane := range checkpoint.Lanes {
			key := keys.Checkpoint(sinks.TP{Topic: number, Partition: p}, lane)
			found, err := sinks.Get(l.t.Context(), l.table.Table, key)
			l.ok(err)
			all = append(all, found[key][checkpoint.AttrEpoch].Int())
		}
	}
	return all
}

func raised(before, after []int64) bool {
	for i := range before {
		if after[i] <= before[i] {
			return false
		}
	}
	return true
}

func (l *life) show() {
	for _, m := range l.measures {
		l.t.Logf("after %d days:", m.days)
		for _, name := range slices.Sorted(maps.Keys(m.sizes)) {
			s := m.sizes[name]
			l.t.Logf("   %-20s %6d items %9d bytes, largest %6d", name, s.items, s.bytes, s.largest)
		}
		for _, name := range slices.Sorted(maps.Keys(m.reads)) {
			r := m.reads[name]
			l.t.Logf("   %-20s %8.1f units %5d requests %6d items", name, r.units, r.requests, r.items)
		}
	}
}

// bind has a recount bind the closed months of a site, as footfall verify --record does.
func (l *life) bind(site string) {
	l.t.Helper()
	equal := new(verified.Sealed)
	report, err := verify.Run(l.t.Context(), verify.Options{Kafka: l.Kafka(), Topic: l.Topic, Table: l.table, Keys: l.Live(),
		HashKey: l.options.HashKey, Site: site, Agreed: equal.Take})
	l.ok(err)
	result := report.Result(site)
	result.Bound = equal.Bind(l.Live(), site, report.StartedAt)
	l.ok(result.Bound.Keep(l.t.Context(), l.table, l.Live(), site))
	if len(result.Bound.Months) == 0 {
		l.t.Fatalf("day %d: no month is bound: %+v", l.days, report)
	}
	l.ok(verified.Write(l.t.Context(), l.table, l.Live(), result))
}

// unchanged looks at the first month, of which the topic has nothing any more.
func (l *life) unchanged(site string) {
	l.t.Helper()
	all, err := verified.CheckSealed(l.t.Context(), l.table, l.Live(), site, l.began, l.began.Add(day))
	l.ok(err)
	if len(all) != 1 || all[0].VerifiedAt == nil || len(all[0].Changed)+len(all[0].Unequal) > 0 {
		l.t.Errorf("day %d: %+v, want one month that is as it was verified", l.days, all)
	}
}

// bounded compares the sizes of a table that has been at work for a while: nothing grows but what operators decide, and closed months.
func (l *life) bounded(early, late measure) {
	l.t.Helper()
	const kept = logDays + 4
	for name, s := range late.sizes {
		if s.largest > sinks.MaxItemBytes/50 {
			l.t.Errorf("an item of kind %s has %d bytes", name, s.largest)
		}
		most := early.sizes[name].items * 23 / 20
		switch name {
		case sinks.EntityHistory: // One a day, and for each revision and each deploy with other settings.
			most = chains * (kept + l.settings + 1 + late.sizes[sinks.EntityRules].items*2*kept/late.days)
		case sinks.EntityMonthStats, sinks.EntitySealedUniques, sinks.EntitySealedBreakdown: // Closed months are kept for ever.
			most += 4 * (late.days - early.days) / 28
		case sinks.EntityRules, sinks.EntityErasure, sinks.EntitySite, sinks.EntitySiteEntry, sinks.EntityToken, sinks.EntityAnnotation,
			sinks.EntityVerification:
			continue // They are what was decided.
		}
		if s.items > most {
			l.t.Errorf("%s: %d items after %d days, and %d after %d days; want at most %d", name, early.sizes[name].items, early.days, s.items,
				late.days, most)
		}
	}
}

// asCheap compares what questions and takeovers cost.
func (l *life) asCheap(early, late measure) {
	l.t.Helper()
	rules := float64(late.sizes[sinks.EntityRules].bytes-early.sizes[sinks.EntityRules].bytes) / 4096
	for name, r := range late.reads {
		was := early.reads[name]
		most := was.units*1.1 + 0.5
		switch name {
		case "takeover": // It reads the site settings.
			most += rules
		case "checkpoints": // They have the settings of all deploys.
			most += float64(chains*l.settings) / 4
		}
		if r.units > most || r.requests > was.requests+4 {
			l.t.Errorf("%s: %g units of %d requests after %d days, %g of %d after %d days", name, was.units, was.requests, early.days, r.units,
				r.requests, late.days)
		}
	}
}

// TestTwoYears: after two years with a run a day, changes of clocks, 40 deploys and two migrations, the table is as large, and its answers
// as cheap, as after one.
func TestTwoYears(t *testing.T) {
	slow.Test(t)
	inLife(t, 1, func(l *life) {
		defer l.show()
		for l.days < 731 {
			l.pass()
			switch l.days {
			case 36, 400:
				l.bind("blog")
			case 92, 366, 731:
				l.look()
				l.Agrees(l.options)
				l.unchanged("blog")
			}
		}
		if l.deploys != 40 {
			t.Errorf("%d deploys", l.deploys)
		}
		l.bounded(l.measures[1], l.measures[2])
		l.asCheap(l.measures[0], l.measures[2])
	})
}

// TestSomeMonths is the same with a run every four days.
func TestSomeMonths(t *testing.T) {
	inLife(t, 4, func(l *life) {
		defer l.show()
		for l.days < 80 {
			l.pass()
			if l.days == 36 {
				l.bind("blog")
			}
		}
		l.look()
		l.Agrees(l.options)
		l.unchanged("blog")
		m := l.measures[0]
		if s := m.sizes[sinks.EntityHistory]; s.items > 4*18 {
			t.Errorf("%d items of chain history after %d days", s.items, m.days)
		}
	})
}
