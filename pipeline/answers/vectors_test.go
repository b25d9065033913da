package answers_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// vector is a case of docs/internals/metrics-vectors.json.
type vector struct {
	Name    string
	Site    string           // its siteId; "s" if empty
	Domains []string         // of the site, from the beginning
	Exclude []string         // pages that the site excludes, from the beginning
	Chosen  []string         // properties that are dimensions of the site, from the beginning; their numbers are 1, 2 and so on
	Bots    *checkpoint.Bots // settings, where they are not the default
	Zones   []struct {       // of the site; From empty: from the beginning
		From, Zone string
	}
	NewVisitors int64        // new visitors are counted, and are new again after so many days; 0: they are not
	Goals       []sites.Goal // of the site, from the beginning; their numbers are 1, 2 and so on
	Records     []struct {
		Time  string
		Event json.RawMessage
	}
	Hours, Days, Realtime map[string]map[string]any
	Sessions              map[string]map[string]any
	Conversions           map[string]map[string]any                       // all of the site, by goal and session
	Breakdowns            map[string]map[string]map[string]map[string]any // by hour, dimension and value
	None                  map[string]map[string]any                       // what has no value, by dimension
	Lacks                 map[string]query.TopLacks                       // what rows may lack of sessions, by dimension
	Raw                   map[string]string                               // what tells a bot, by the id of its raw event; "" is a person
	Rejected              map[event.Reason]int64
}

// TestMetricsVectors runs every definition of docs/metrics.md through the whole pipeline, once with all records of
// a case in one step (in make test, a third of the cases) and once with a step for each: when a flush comes must change
// nothing. The recount of package verify, which shares no fold with the pipeline, must find the same.
func TestMetricsVectors(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	b, err := os.ReadFile("../../docs/internals/metrics-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(b, &vectors); err != nil {
		t.Fatal(err)
	}
	every := slow.Every(t, 3)
	for i, v := range vectors {
		v.Site = cmp.Or(v.Site, "s")
		if i%every == 0 {
			t.Run(v.Name+"/one step", func(t *testing.T) { v.run(t, 0) })
		}
		t.Run(v.Name+"/a step each", func(t *testing.T) { v.run(t, 3*time.Second) })
	}
}

func (v vector) run(t *testing.T, apart time.Duration) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		// The bubble's clock stands at 2000-01-01: nothing of the vectors' 2026 has expired.
		w.Believe()
		o := w.Options()
		o.StatsInterval, o.RealtimeInterval = time.Second, time.Second
		if v.Bots != nil {
			o.Settings.Bots = *v.Bots
		}
		if apart == 0 {
			o.StatsInterval = time.Minute
		}
		if len(v.Zones)+len(v.Goals)+len(v.Domains)+len(v.Exclude)+len(v.Chosen) > 0 || v.NewVisitors > 0 {
			ruled := &sites.Rules{Domains: v.Domains, ExcludedPaths: v.Exclude}
			if v.NewVisitors > 0 {
				ruled.NewVisitors, ruled.Days = true, map[string]int64{sinks.AttrVisitorDays: v.NewVisitors}
			}
			for i, key := range v.Chosen {
				ruled.Properties = append(ruled.Properties, sites.Property{Key: key, N: uint64(i + 1)})
			}
			for _, g := range v.Goals {
				if err := ruled.AddGoal(g); err != nil {
					t.Fatal(err)
				}
			}
			for _, z := range v.Zones {
				from := int64(0)
				if z.From != "" {
					from = at(t, z.From).UnixMilli()
				}
				ruled.Zones = append(ruled.Zones, sites.Zone{From: from, Name: z.Zone})
			}
			w.Decide(v.Site, ruled)
		}
		run := w.Start(o)
		for _, r := range v.Records {
			w.Produce(record{Key: v.Site, At: at(t, r.Time), Value: r.Event})
			time.Sleep(apart)
		}
		w.Settled()
		run.Drain()
		v.check(t, w)
		report, err := w.Verify(o)
		if err != nil || report.DifferenceCount != 0 || report.ExitCode() != 0 {
			t.Errorf("the recount of verify differs: %v, %+v", err, report.Differences)
		}
	})
}

func (v vector) check(t *testing.T, w *world) {
	keys, tp := sinks.Keys{}, sinks.TP{Topic: 1}
	for name, want := range v.Hours {
		start, err := sinks.ParseHour(name)
		if err != nil {
			t.Fatal(err)
		}
		it := w.Item(keys.HourStats(v.Site, start))
		have := counters(it)
		for name, attr := range map[string]string{"valueMin": sinks.AttrLeast(tp), "valueMax": sinks.AttrGreatest(tp)} {
			if v := it[attr]; v.Kind() == sinks.Number {
				have[name] = float64(v.Int())
			}
		}
		u := sketch.NewHour()
		for _, b := range [][]byte{it[sinks.AttrUniques(tp)].Bytes(), w.Item(keys.Uniques(v.Site, start, tp))[sinks.AttrPart].Bytes()} {
			if b == nil {
				continue
			}
			part := sketch.NewHour()
			if err := part.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			if err := u.Merge(part); err != nil {
				t.Fatal(err)
			}
		}
		if n := u.Estimate(); n > 0 {
			have["uniqueVisitors"] = float64(n)
		}
		same(t, "hour "+name, have, want)
	}
	for name, want := range v.Days {
		start, err := sinks.ParseDay(name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "day "+name, counters(w.Item(keys.DayStats(v.Site, start))), want)
	}
	v.checkSessions(t, w, keys, tp)
	v.checkRealtime(t, w, keys, tp)
	v.checkBreakdowns(t, w, keys, tp)
	v.checkNone(t, w)
	v.checkRaw(t, w, keys)
	v.checkConversions(t, w, keys)
	c := w.Checkpoint(tp, checkpoint.LaneStats)
	if !maps.Equal(c.Totals.Rejected, v.Rejected) || c.Totals.Records() != int64(len(v.Records)) {
		t.Errorf("totals %+v, want %d records of which rejected %v", c.Totals, len(v.Records), v.Rejected)
	}
	v.checkNothingElse(t, w, keys)
}

func (v vector) checkSessions(t *testing.T, w *world, keys sinks.Keys, tp sinks.TP) {
	for id, want := range v.Sessions {
		it := testpipeline.ShownOf(w.Item(keys.Session(v.Site, id, tp, sinks.DefaultShards)))
		have := make(map[string]any)
		for _, name := range []string{sinks.AttrOpenedAt, sinks.AttrStartedAt, sinks.AttrEndedAt} {
			have[name] = time.UnixMilli(it[name].Int()).UTC().Format(time.RFC3339Nano)
		}
		for _, name := range []string{sinks.AttrPageViews, sinks.AttrEvents, sinks.AttrBounce, sinks.AttrEngaged} {
			have[name] = float64(it[name].Int())
		}
		for _, name := range []string{sinks.AttrEntryPage, sinks.AttrExitPage, sinks.AttrVisitorID, sinks.AttrUserID} {
			if s := it[name].Str(); s != "" {
				have[name] = s
			}
		}
		for _, name := range sinks.DimensionNames {
			if _, asked := want[name]; asked {
				have[name] = it[name].Str()
			}
		}
		same(t, "session "+id, have, want)
	}
}

func (v vector) checkRealtime(t *testing.T, w *world, keys sinks.Keys, tp sinks.TP) {
	for name, want := range v.Realtime {
		start, err := sinks.ParseMinute(name)
		if err != nil {
			t.Fatal(err)
		}
		it := w.Item(keys.Realtime(v.Site, start, tp))
		if it == nil {
			t.Errorf("realtime %s is missing", name)
			continue
		}
		have := counters(it)
		u, top := sketch.NewMinute(), sketch.NewTop(50)
		if err := u.UnmarshalBinary(it[sinks.AttrVisitors].Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := top.UnmarshalBinary(it[sinks.AttrPages].Bytes()); err != nil {
			t.Fatal(err)
		}
		have["visitors"] = float64(u.Estimate())
		pages := make(map[string]any)
		for _, r := range top.Rows() {
			pages[r.Value] = float64(r.Count)
		}
		have["pages"] = pages
		same(t, "realtime "+name, have, want)
	}
}

// dimension returns the dimension of that name, or of a property that the site has chosen.
func (v vector) dimension(t *testing.T, name string) sketch.Dimension {
	if key, ok := strings.CutPrefix(name, query.PropertyPrefix); ok {
		return sketch.PropertyDimension(uint64(slices.Index(v.Chosen, key) + 1))
	}
	d, err := sketch.ParseDimension(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// checkBreakdowns compares the dimensions that the vector names, all their rows; others it does not ask about.
func (v vector) checkBreakdowns(t *testing.T, w *world, keys sinks.Keys, tp sinks.TP) {
	for name, dimensions := range v.Breakdowns {
		start, err := sinks.ParseHour(name)
		if err != nil {
			t.Fatal(err)
		}
		var b sketch.Breakdown
		if err := sketch.UnpackBreakdown(w.Item(keys.Breakdown(v.Site, start, tp))[sinks.AttrPart].Bytes(), &b); err != nil {
			t.Fatal(err)
		}
		for dimension, want := range dimensions {
			d := v.dimension(t, dimension)
			have, wanted := make(map[string]any), make(map[string]any)
			for value, row := range want {
				wanted[value] = row
			}
			for _, row := range b.Rows(d) {
				have[row.Value] = rowCounts(row)
			}
			same(t, "breakdown "+name+" by "+dimension, have, wanted)
		}
	}
}

// checkNone compares what the answers of the named dimensions say of all events without a value, and of what rows may lack.
func (v vector) checkNone(t *testing.T, w *world) {
	ask := func(dimension string) query.TopAnswer {
		a, err := query.New(w.Table, time.Now).Top(t.Context(), query.TopParams{Site: "s", Dimension: dimension,
			From: at(t, "2026-05-01T00:00:00Z"), To: at(t, "2026-06-01T00:00:00Z"), Consistent: true})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for dimension, want := range v.Lacks {
		if have := ask(dimension).Lacks; have != want {
			t.Errorf("rows by %s may lack %+v, want %+v", dimension, have, want)
		}
	}
	for dimension, want := range v.None {
		a := ask(dimension)
		have := make(map[string]any)
		for name, n := range map[string]int64{"events": a.None.Events, "pageViews": a.None.PageViews, "sessions": a.None.Sessions,
			"bounces": a.None.Bounces, "durationMs": a.None.DurationMs, "eventsNotBrokenDown": a.NotBrokenDown} {
			if n != 0 {
				have[name] = float64(n)
			}
		}
		same(t, "without a "+dimension, have, want)
	}
}

// checkRaw compares what the raw events that the vector names say about bots.
func (v vector) checkRaw(t *testing.T, w *world, keys sinks.Keys) {
	have := make(map[string]any)
	for nn := range sinks.DefaultShards {
		page, err := w.Table.Query(t.Context(), sinks.Query{PK: keys.Shard(v.Site, nn), Prefix: sinks.EventPrefix})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			if _, named := v.Raw[it["id"].Str()]; named {
				have[it["id"].Str()] = it[sinks.AttrBot].Str()
			}
		}
	}
	want := make(map[string]any)
	for id, by := range v.Raw {
		want[id] = by
	}
	same(t, "raw events", have, want)
}

// checkConversions compares all conversions of the site.
func (v vector) checkConversions(t *testing.T, w *world, keys sinks.Keys) {
	have, want := make(map[string]any), make(map[string]any)
	for nn := range sinks.DefaultShards {
		page, err := w.Table.Query(t.Context(), sinks.Query{PK: keys.Shard(v.Site, nn), Prefix: sinks.ConversionPrefix})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			c := map[string]any{"at": time.UnixMilli(it[sinks.AttrAt].Int()).UTC().Format(time.RFC3339Nano)}
			if v := it[sinks.AttrValueMicros]; v.Kind() == sinks.Number {
				c[sinks.AttrValueMicros] = float64(v.Int())
			}
			for _, name := range []string{sinks.AttrPage, sinks.AttrVisitorID} {
				if s := it[name].Str(); s != "" {
					c[name] = s
				}
			}
			have[it[sinks.AttrGoal].Str()+" "+it[sinks.AttrSessionID].Str()] = c
		}
	}
	for of, c := range v.Conversions {
		want[of] = c
	}
	same(t, "conversions", have, want)
}

// rowCounts are a row's numbers, without those that are 0.
func rowCounts(row sketch.BreakdownRow) map[string]any {
	m := make(map[string]any)
	for name, n := range map[string]int64{"events": row.Events, "pageViews": row.PageViews, "sessions": row.Sessions,
		"bounces": row.Bounces, "durationMs": row.DurationMs, "entries": row.Entries, "exits": row.Exits, "values": row.Values,
		"timedPageViews": row.Timed, "timeOnPageMs": row.TimeMs, "scrolledPageViews": row.Scrolled, "scrollDepthSum": row.Depth,
		"uniqueVisitors": int64(row.Visitors.Estimate())} {
		if n != 0 {
			m[name] = float64(n)
		}
	}
	for name, n := range map[string]int64{"conversions": row.Conversions.All(), "convertedSessions": row.Conversions.Sessions,
		"conversionMicros": row.Conversions.Worth.Int64()} {
		if n != 0 {
			m[name] = float64(n)
		}
	}
	if row.Values > 0 {
		m["valueSum"] = row.Sum.String()
		m["valueMin"], m["valueMax"] = float64(row.Min), float64(row.Max)
	}
	return m
}

// checkNothingElse makes sure that the site has no bucket that the vector does not name.
func (v vector) checkNothingElse(t *testing.T, w *world, keys sinks.Keys) {
	for prefix, want := range map[string]int{sinks.HourStatsPrefix: len(v.Hours), sinks.DayStatsPrefix: len(v.Days),
		sinks.RealtimePrefix: len(v.Realtime)} {
		page, err := w.Table.Query(t.Context(), sinks.Query{PK: keys.Site(v.Site), Prefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Items) != want {
			t.Errorf("%d items %s, want %d", len(page.Items), prefix, want)
		}
	}
}

// counters are an item's numbers, without those that are 0 and those that every item has.
func counters(it sinks.Item) map[string]any {
	m := make(map[string]any)
	for _, name := range []string{sinks.AttrPageViews, sinks.AttrEvents, sinks.AttrSessions, sinks.AttrBounces,
		sinks.AttrDurationMs, sinks.AttrEngaged, sinks.AttrValues, sinks.AttrValueMicros,
		sinks.AttrNewVisitors, sinks.AttrExcludedEvents, sinks.AttrExcludedPageViews,
		sinks.AttrBotPageViews, sinks.AttrBotEvents, sinks.AttrBotValues, sinks.AttrBotValueMicros, sinks.AttrConversions} {
		if n := it[name].Int(); n != 0 {
			m[name] = float64(n)
		}
	}
	for name, value := range it {
		if _, _, ok := sinks.GoalSum(name); ok {
			m[name] = float64(value.Int())
		}
	}
	return m
}

func same(t *testing.T, what string, have, want map[string]any) {
	t.Helper()
	h, w := toJSON(t, have), toJSON(t, want)
	if string(h) != string(w) {
		t.Errorf("%s\nhave %s\nwant %s", what, h, w)
	}
}
