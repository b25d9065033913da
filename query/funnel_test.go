package query_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// funnel writes down a funnel of a site, of the steps as people write them.
func (w *world) funnel(site, id string, strict bool, steps ...string) {
	w.t.Helper()
	d := sites.Funnel{ID: id, Name: "Funnel " + id, Window: sites.DefaultFunnelWindow, Strict: strict}
	for _, text := range steps {
		d.Steps = append(d.Steps, must[sites.Pattern](w.t)(sites.ParsePattern(text)))
	}
	store := sites.FunnelStore{Table: w.table, By: "me@here", Now: func() time.Time { return now }}
	if _, err := store.Create(w.t.Context(), site, d); err != nil {
		w.t.Fatal(err)
	}
}

// view puts a page view of a visitor; n is its identity and its offset.
func (w *world) view(visitor, page string, at time.Time, n int, more sinks.Item) {
	w.t.Helper()
	it := sinks.Item{"visitorId": sinks.Str(visitor), "sessionId": sinks.Value{}, "url": sinks.Str("https://shop.example" + page +
		"?q=/cart#/cart")}
	for name, v := range more {
		it[name] = v
	}
	w.raw(shop, sinks.ShardOf(visitor, sinks.DefaultShards), at, future, n, it)
}

// chain puts the checkpoint of a partition whose last step was folded with raw events or without, kept for so many days, and a
// history of steps before it.
func (w *world) chain(partition int32, on, before bool, days int) {
	w.t.Helper()
	w.topic("events", 1)
	tp := sinks.TP{Topic: 1, Partition: partition}
	ver := func(on bool) sinks.Item {
		return sinks.Item{sinks.AttrEntity: sinks.Str(sinks.EntityCheckpoint), "k": sinks.Int(7),
			"ver": sinks.Str(fmt.Sprintf(`{"fold":3,"rawEvents":%v,"retention":{"rawDays":%d}}`, on, days))}
	}
	w.put(w.keys.Checkpoint(tp, "stats"), time.Time{}, ver(on))
	w.put(w.keys.History(tp, "stats", 1), time.Time{}, ver(before))
	w.put(w.keys.Checkpoint(tp, "realtime"), time.Time{}, ver(false))
}

func visitorsOf(a query.FunnelReportAnswer) string {
	var texts []string
	for _, s := range a.Steps {
		texts = append(texts, fmt.Sprint(s.Visitors))
	}
	return strings.Join(texts, " ")
}

func testFunnels(t *testing.T, w *world) {
	w.site(shop, 16)
	w.site("shop", 16)
	w.funnel("shop", "zero", false, "event:a", "event:b")
	var want []string
	for i := range 7 {
		id := fmt.Sprint("f-", i)
		w.funnel(shop, id, i%2 == 1, "page:/a", "event:b name:c")
		want = append(want, id)
	}
	for _, desc := range []bool{false, true} {
		rows, _, count := pages(t, 3, func(cursor string) ([]query.Funnel, int, string, error) {
			a, err := w.Funnels(t.Context(), query.FunnelsParams{Site: shop, Consistent: true, Paging: query.Paging{Limit: 3, Desc: desc,
				Cursor: cursor}})
			return a.Funnels, 0, a.Cursor, err
		})
		if len(rows) != len(want) || count != 3 {
			t.Fatalf("desc %v: %d funnels on %d pages, want 7 on 3", desc, len(rows), count)
		}
		for i, row := range rows {
			if desc {
				i = len(want) - 1 - i
			}
			if row.FunnelID != want[i] || row.Strict != (i%2 == 1) || len(row.Steps) != 2 {
				t.Errorf("desc %v: funnel %+v, want %s", desc, row, want[i])
			}
		}
	}
	one := must[query.FunnelAnswer](t)(w.Funnel(t.Context(), query.FunnelParams{Site: shop, Funnel: "f-1", Consistent: true}))
	if one.Name != "Funnel f-1" || one.Version != 1 || one.WindowMs != 30*60_000 || one.Steps[1].Name != "c" || one.ChangedBy != "me@here" {
		t.Errorf("funnel %+v", one)
	}
	for _, p := range []query.FunnelParams{{Site: shop, Funnel: "zero"}, {Site: "shop", Funnel: "f-1"}, {Site: "nowhere", Funnel: "f-1"}} {
		_, err := w.Funnel(t.Context(), p)
		_, report := w.FunnelReport(t.Context(), query.FunnelReportParams{Site: p.Site, Funnel: p.Funnel, From: at(0)})
		for _, err := range []error{err, report} {
			if _, not := errors.AsType[*query.FunnelNotFoundError](err); !not {
				t.Errorf("%+v = %v, want that it is not found", p, err)
			}
		}
	}
	if a := must[query.FunnelsAnswer](t)(w.Funnels(t.Context(), query.FunnelsParams{Site: "nowhere"})); a.SiteKnown || len(a.Funnels) > 0 {
		t.Errorf("funnels of a site that nobody knows: %+v", a)
	}
}

func testFunnelReport(t *testing.T, w *world) {
	w.site(shop, 16)
	w.funnel(shop, "buy", false, "page:/", "page-prefix:/cart", "event:purchase")
	w.funnel(shop, "strict", true, "page:/", "page-prefix:/cart", "event:purchase")
	w.funnel(shop, "two", false, "page:/", "page:/cart")
	start, bot := at(9), sinks.Item{"bot": sinks.Str("agent")}
	buy := sinks.Item{"type": sinks.Str("purchase"), "url": sinks.Value{}}
	after := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	w.view("all", "/", after(0), 10, nil)
	w.view("all", "/cart", after(60), 11, nil)
	w.view("all", "", after(180), 12, buy)
	w.view("wander", "/", after(1), 20, nil)
	w.view("wander", "/other", after(2), 21, nil)
	w.view("wander", "/cart/full", after(41), 22, nil)
	w.view("back", "/cart", after(3), 30, nil)
	w.view("back", "/", after(4), 31, nil)
	// At one millisecond the log decides. Another topic's record of the same offset sorts behind.
	w.view("tie", "/", after(5), 41, nil)
	w.view("tie", "/cart", after(5), 42, nil)
	w.view("tie", "", after(5), 40, sinks.Item{"type": sinks.Str("purchase"), "source": sinks.Str("events2/0/40")})
	w.view("untie", "/cart", after(5), 9, nil)
	w.view("untie", "/", after(5), 10_000, sinks.Item{"source": sinks.Str("events/0/10")})
	w.view("robot", "/", after(6), 50, bot)
	w.view("robot", "/cart", after(7), 51, bot)
	// Excluded pages are no step, and nothing between two steps of a strict funnel.
	excluded := sinks.Item{"excluded": sinks.Int(1)}
	w.view("hidden", "/", after(6), 55, excluded)
	w.view("all", "/admin", after(30), 56, excluded)
	// Events without a visitorId are their session's, which is not the visitor of that name.
	w.raw(shop, sinks.ShardOf("all", 16), after(8), future, 60, sinks.Item{"sessionId": sinks.Str("all"), "url": sinks.Str("/")})
	// The range is half-open.
	w.view("early", "/", start.Add(-time.Millisecond), 70, nil)
	w.view("early", "/cart", after(1), 71, nil)
	w.view("late", "/", after(3599), 72, nil)
	w.view("late", "/cart", after(3600), 73, nil)
	w.view("edge", "/", after(0), 74, nil)
	w.view("edge", "/cart", start.Add(time.Hour-time.Millisecond), 75, nil) // Behind the window.
	// An event that a worker laid in two shards is one.
	w.raw(shop, 3, after(60), future, 11, sinks.Item{"visitorId": sinks.Str("all"), "sessionId": sinks.Value{}, "url": sinks.Str("/cart")})

	for _, c := range []struct {
		name, funnel string
		bots         bool
		want         string
	}{
		{"people", "buy", false, "8 3 2"},
		{"people and bots", "buy", true, "9 4 2"},
		{"strict", "strict", false, "8 2 2"},
		{"two steps", "two", false, "8 2"},
	} {
		a := must[query.FunnelReportAnswer](t)(w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: c.funnel, From: start,
			To:          after(3600),
			IncludeBots: c.bots, Consistent: true}))
		if got := visitorsOf(a); got != c.want || a.BotEvents != 2 || a.EventsRead != 23 || a.IncludesBots != c.bots || a.ReadUnits <= 0 {
			t.Errorf("%s: %s; want visitors %s, 2 events of bots, 23 read", c.name, compact(t, a), c.want)
		}
	}
	a := must[query.FunnelReportAnswer](t)(w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: "buy", From: start,
		To: after(3600)}))
	const want = `{"step":2,"match":{"on":"page","how":"prefix","text":"/cart"},"visitors":3,"shareOfFirst":0.375,"shareOfPrevious":0.375,"dropOff":5,"medianMs":40000},` +
		`{"step":3,"match":{"on":"event","type":"purchase"},"visitors":2,"shareOfFirst":0.25,"shareOfPrevious":0.6666666666666666,"dropOff":1,"medianMs":0}]`
	if got := compact(t, a.Steps[1:]); got != "["+want {
		t.Errorf("steps:\n got %s\nwant [%s", got, want)
	}
}

// An attempt under filters consists of events that pass: source and channel of the session, all else of the event.
func testFunnelFiltered(t *testing.T, w *world) {
	w.site(shop, 16)
	w.funnel(shop, "buy", false, "page:/", "page:/cart")
	after := func(s int) time.Time { return at(9).Add(time.Duration(s) * time.Second) }
	from := func(country, session string) sinks.Item {
		return sinks.Item{"country": sinks.Str(country), "sessionId": sinks.Str(session)}
	}
	n := 0
	put := func(visitor, page string, s int, more sinks.Item) {
		n++
		it := sinks.Item{"visitorId": sinks.Str(visitor), "url": sinks.Str("https://shop.example" + page)}
		for name, v := range more {
			it[name] = v
		}
		w.raw(shop, sinks.ShardOf(it["sessionId"].Str(), 16), after(s), future, n, it)
	}
	put("anna", "/", 0, from("DE", "a"))
	put("anna", "/cart", 60, from("DE", "a"))
	put("bert", "/", 1, from("FR", "b"))
	put("bert", "/cart", 61, from("DE", "b"))
	put("cleo", "/", 2, from("DE", "c"))
	put("cleo", "/cart", 62, from("FR", "c2")) // Another session.
	put("dora", "/", 3, from("DE", "d"))
	put("dora", "/cart", 63, from("FR", "d")) // It does not pass itself.
	put("early", "/", -60, from("DE", "e"))   // Before the range.
	put("early", "/cart", 64, from("DE", "e"))
	put("robot", "/", 5, sinks.Item{"country": sinks.Str("DE"), "sessionId": sinks.Str("r"), "bot": sinks.Str("agent")})
	referred := from("US", "f")
	referred["referrer"] = sinks.Str("https://news.example/")
	put("fred", "/", 6, referred)
	put("fred", "/cart", 66, from("US", "f"))
	const returning = 100 // visitors in two sessions each, which end in any order
	for i := range returning {
		put(fmt.Sprint("gus", i), "/", 10+i, from("NL", fmt.Sprint("g", i)))
		put(fmt.Sprint("gus", i), "/cart", 600+i, from("NL", fmt.Sprint("h", i)))
	}
	w.goal(shop, sites.Goal{ID: "carted", N: 1, On: sites.Pattern{On: sites.OnPage, How: sites.MatchExact, Text: "/cart"}}, false)
	reached := func(first, second int) string { return fmt.Sprint(first, second) }
	const others = 5
	all := reached(others+returning, others+returning)
	for where, want := range map[string]string{"": all, "country=DE": "3 1", "country!=DE": reached(2+returning, 1+returning),
		"country=XX":            "0 0",
		"referrer=news.example": "1 1", "referrer!=news.example": reached(4+returning, 4+returning), "entry!=/none": all, "exit!=/none": all,
		"exit=/cart": "4 4", "exit=/": reached(1+returning, 0), "entry=/cart": "0 0", "goal=carted": "4 4",
		"goal!=carted": reached(1+returning, 0)} {
		p := query.FunnelReportParams{Site: shop, Funnel: "buy", From: at(9), To: at(10), Consistent: true}
		if where != "" {
			p.Where = must[[]query.Condition](t)(query.ParseConditions([]string{where}))
		}
		a := must[query.FunnelReportAnswer](t)(w.FunnelReport(t.Context(), p))
		if got := visitorsOf(a); got != want || a.BotEvents != 1 || (a.Filter != nil) != (where != "") || a.ReadUnits <= 0 {
			t.Errorf("%q: %s; want visitors %s", where, compact(t, a), want)
		}
	}
	const says = "filter by another dimension"
	for _, text := range []string{"page=/", "property:plan=pro", "type=x"} {
		_, err := w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: "buy", From: at(9),
			Where: must[[]query.Condition](t)(query.ParseConditions([]string{text}))})
		if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Param != "where" || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err := w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: "buy", From: at(9), IncludeBots: true,
		Where: must[[]query.Condition](t)(query.ParseConditions([]string{"country=DE"}))})
	if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Param != "include-bots" {
		t.Errorf("bots under filters: %v", err)
	}
}

// More events than a page of the store holds, in shards that have changed, are all read, and no more than may be.
func testFunnelPages(t *testing.T, w *world) {
	w.rules(shop, &sites.Rules{Shards: []sites.Shards{{N: 2}, {From: at(0).UnixMilli(), N: 3}}})
	w.funnel(shop, "f", false, "page:/a", "page:/b")
	const visitors = 700
	for i := range visitors {
		v := fmt.Sprint("v", i)
		at := at(0).Add(time.Duration(i-visitors/2) * time.Second) // Around the change.
		shards := 3
		if i < visitors/2 {
			shards = 2
		}
		w.raw(shop, sinks.ShardOf(v, shards), at, future, i, sinks.Item{"visitorId": sinks.Str(v), "url": sinks.Str("/a")})
		if i%2 == 0 {
			w.raw(shop, sinks.ShardOf(v, 3), at.Add(10*time.Minute), future, visitors+i, sinks.Item{"visitorId": sinks.Str(v),
				"url": sinks.Str("/b")})
		}
	}
	p := query.FunnelReportParams{Site: shop, Funnel: "f", From: at(-1), To: at(1), MaxEvents: 1050}
	if a := must[query.FunnelReportAnswer](t)(w.FunnelReport(t.Context(), p)); visitorsOf(a) != "700 350" || a.EventsRead != 1050 {
		t.Errorf("report %s, want 700 and 350 visitors of 1,050 events", compact(t, a))
	}
	p.MaxEvents = 1049
	for _, counted := range []int64{0, 1050} { // Told while reading, and before.
		if counted > 0 {
			w.hour(shop, at(0), future, 0, counted, 0, nil)
		}
		_, err := w.FunnelReport(t.Context(), p)
		if param, ok := errors.AsType[*query.ParamError](err); !ok || param.Param != "max-events" {
			t.Errorf("more events than may be read, %d counted: %v", counted, err)
		}
	}
	refused, told := errors.New("too dear"), int64(0)
	p.MaxEvents = 1050
	p.OnEstimate = func(c query.FilterCost, packed int64) error {
		if told = c.EventsEstimated; packed < told || c.ReadUnitsEstimated <= 0 || c.EventsRead != 0 {
			t.Errorf("the estimate is %+v, as %d packed events", c, packed)
		}
		return refused
	}
	if a, err := w.FunnelReport(t.Context(), p); !errors.Is(err, refused) || told != 1050 || a.EventsRead != 0 {
		t.Errorf("a report whose cost is refused: %s, %v; %d events estimated", compact(t, a), err, told)
	}
	p.From, p.To, told = at(0).Add(5*time.Minute), at(0).Add(40*time.Minute), 0
	if _, err := w.FunnelReport(t.Context(), p); !errors.Is(err, refused) || told != 1050 {
		t.Errorf("of a part of the hour: %v; %d events estimated, want those of the hour", err, told)
	}
}

func testFunnelRefused(t *testing.T, w *world) {
	w.site(shop, 16)
	w.funnel(shop, "f", false, "page:/a", "page:/b")
	w.view("v", "/a", at(10), 1, nil)
	day := query.FunnelReportParams{Site: shop, Funnel: "f", From: at(0), To: at(12)}
	refused := func(name string, p query.FunnelReportParams, says ...string) {
		t.Helper()
		a, err := w.FunnelReport(t.Context(), p)
		if _, raw := errors.AsType[*query.RawEventsError](err); len(says) > 0 && !raw {
			t.Errorf("%s: %s, %v; want it refused", name, compact(t, a), err)
			return
		}
		if len(says) == 0 && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, text := range says {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %q, want also %q", name, err, text)
			}
		}
	}
	refused("no chains", day)
	w.chain(0, false, false, 30)
	refused("never written", day, "switched off (rawEvents: off)", "partitions events/0 were counted: switch them on")
	_, err := w.FunnelReport(t.Context(), day)
	if raw, ok := errors.AsType[*query.RawEventsError](err); !ok || strings.Contains(raw.WithoutPartitions().Error(), "events/0") ||
		!strings.Contains(raw.WithoutPartitions().Error(), "some partitions were counted: switch them on") {
		t.Errorf("without the names of partitions: %v", err)
	}
	w.chain(1, true, true, 30)
	refused("switched off in a partition that has not had an event", day)
	w.hour(shop, at(10), future, 2, 3, 0, nil)
	refused("switched off in a partition that has", day, "partitions events/0 ", "2 events of the range have none")
	w.view("v", "/b", at(10).Add(time.Minute), 2, nil)
	w.view("v", "/b", at(10).Add(2*time.Minute), 3, nil)
	refused("all that is counted is there", day)
	refused("nothing of the range, and switched off", query.FunnelReportParams{Site: shop, Funnel: "f", From: at(12), To: at(13)},
		"there are none in the range")
	w.chain(0, true, false, 30)
	refused("nothing of the range, and switched on since", query.FunnelReportParams{Site: shop, Funnel: "f", From: at(12), To: at(13)})

	w.chain(0, true, false, 7)
	w.chain(1, true, true, 7)
	from := func(t time.Time) query.FunnelReportParams {
		p := day
		p.From = t
		return p
	}
	kept := now.Add(-7 * 24 * time.Hour)
	refused("a range within what is kept", from(kept))
	refused("a range that begins before", from(kept.Add(-time.Millisecond)), "kept for 7 days", "begin at "+
		kept.Add(time.Second).Format(time.RFC3339))
	w.chain(2, true, true, 8)
	refused("a range that some partitions keep", from(kept.Add(-time.Millisecond)))
	w.rules(shop, &sites.Rules{Days: map[string]int64{sinks.AttrRawDays: -1}})
	refused("a site that keeps them for ever", from(kept.AddDate(-1, 0, 0)))
	w.rules(shop, &sites.Rules{Days: map[string]int64{sinks.AttrRawDays: 2}})
	refused("a site that keeps them for less", from(kept), "kept for 2 days")
	w.raw(shop, 0, at(9), past, 9, sinks.Item{"url": sinks.Str("/a")})
	refused("some that were kept for less have expired", day, "1 of the range have expired, the last at "+at(9).Format(time.RFC3339))

	_, err = w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: "f", From: at(3), To: at(3)})
	if param, ok := errors.AsType[*query.ParamError](err); !ok || param.Param != "from" {
		t.Errorf("an empty range: %v", err)
	}
}

// TestEventsWithoutRawEventsAreTold: what nobody switched off may be missing for other reasons.
func TestEventsWithoutRawEventsAreTold(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	w.funnel(shop, "f", false, "page:/a", "page:/b")
	w.chain(0, true, true, 30)
	w.view("v", "/a", at(10), 1, nil)
	counted := figures(2, 3, 0)
	counted[sinks.AttrExcludedEvents] = sinks.Int(1)
	w.put(w.keys.HourStats(shop, at(10).UnixMilli()), future, counted)
	w.view("v", "/admin", at(10), 2, sinks.Item{"excluded": sinks.Int(1)}) // Not one of the three.
	for from, want := range map[time.Time]int64{at(10): 2, at(10).Add(-time.Minute): 2, at(10).Add(-time.Hour - time.Minute): 2,
		at(10).Add(time.Millisecond): 0} {
		a := must[query.FunnelReportAnswer](t)(w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: "f", From: from,
			To: at(11)}))
		if told := strings.Contains(notes(t, a), "Stats count 2 events more"); a.EventsMissing != want || told != (want > 0) {
			t.Errorf("from %s: %d events missing, told: %v; want %d", from, a.EventsMissing, told, want)
		}
	}
}

// TestEventsThatHadExpiredByEarlierRulesAreRefused: they are gone from the table, and only what was decided then tells why.
func TestEventsThatHadExpiredByEarlierRulesAreRefused(t *testing.T) {
	w := newWorld(t)
	hour := func(days int) time.Time { return now.AddDate(0, 0, -days).Truncate(time.Hour) }
	var log *sites.Log
	for _, decided := range []struct{ ago, days int }{{40, 10}, {20, 30}} {
		var err error
		c := sites.Revision{At: hour(decided.ago).UnixMilli(), Site: shop,
			Rules: &sites.Rules{Days: map[string]int64{sinks.AttrRawDays: int64(decided.days)}}}
		if log, err = sites.AppendLog(t.Context(), w.table, w.keys, log, c); err != nil {
			t.Fatal(err)
		}
		w.rules(shop, c.Rules)
	}
	w.funnel(shop, "f", false, "page:/a", "page:/b")
	w.chain(0, true, true, 30)
	w.view("v", "/a", hour(15), 1, nil)
	w.hour(shop, hour(15), future, 1, 2, 0, nil)
	w.hour(shop, hour(25), future, 3, 3, 0, nil)
	for days, says := range map[int]string{
		29: "kept for 10 days, and the range begins at " + hour(29).Format(time.RFC3339) + ": begin at " +
			hour(20).Add(time.Second).Format(time.RFC3339),
		20: "", // It begins with the rule of 30 days.
		19: "", // One is missing, but not by any rule.
		31: "kept for 30 days",
	} {
		a, err := w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: "f", From: hour(days), To: now})
		switch _, raw := errors.AsType[*query.RawEventsError](err); {
		case says == "" && (err != nil || a.EventsMissing != 1):
			t.Errorf("%d days ago: %s, %v; want 1 event missing", days, compact(t, a), err)
		case says != "" && (!raw || !strings.Contains(err.Error(), says)):
			t.Errorf("%d days ago: %v, want %q", days, err, says)
		}
	}
}
