package query_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sinks/sinktest"
)

// failing is an empty table whose reads fail so many times with err before they succeed, each after a pause.
type failing struct {
	sinks.Table // none of the other verbs is called
	times       int
	err         error
	pause       time.Duration
	calls       atomic.Int64
	inFlight    atomic.Int64
	most        atomic.Int64
}

func (f *failing) read() error {
	n := f.inFlight.Add(1)
	defer f.inFlight.Add(-1)
	if n > f.most.Load() {
		f.most.Store(n)
	}
	time.Sleep(f.pause)
	if f.calls.Add(1) <= int64(f.times) {
		return f.err
	}
	return nil
}

func (f *failing) Query(context.Context, sinks.Query) (sinks.Page, error) {
	return sinks.Page{}, f.read()
}

func (f *failing) BatchGet(_ context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if err := f.read(); err != nil {
		return sinks.BatchResult{Left: g.Keys}, nil
	}
	items := make(map[sinks.Key]sinks.Item)
	for _, k := range g.Keys {
		items[k] = sinks.Item{sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK),
			sinks.AttrRules: sinks.Str(`{"shards":[{"from":0,"n":64}]}`), sinks.AttrSiteID: sinks.Str("s")}
	}
	return sinks.BatchResult{Items: items}, nil
}

func readerOf(table sinks.Table) *query.Reader { return query.NewOf(table, sinks.Keys{}, time.Now) }

func TestThrottledReadIsAskedAgain(t *testing.T) {
	for _, err := range []error{&sinks.ThrottleError{Reasons: []string{"TableReadProvisionedThroughputExceeded"}}, sinks.ErrUnknownOutcome} {
		synctest.Test(t, func(t *testing.T) {
			table := &failing{times: 5, err: err}
			if _, err := readerOf(table).Sites(t.Context(), query.SitesParams{}); err != nil {
				t.Errorf("Sites = %v, want nil after a few refusals", err)
			}
		})
	}
}

func TestItemsThatWereNotReachedAreAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &failing{times: 3, err: sinks.ErrThrottled} // BatchGet names them as left.
		a, err := readerOf(table).Site(t.Context(), query.SiteParams{Site: "s"})
		if err != nil || !a.SiteKnown || a.Site.Shards != 64 {
			t.Errorf("Site = %+v, %v; want the site with 64 shards", a.Site, err)
		}
	})
}

func TestReadGivesUpWithTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &failing{times: 1 << 20, err: sinks.ErrThrottled}
		start := time.Now()
		_, err := readerOf(table).Session(t.Context(), query.SessionParams{Site: "s", Session: "x"})
		if !errors.Is(err, sinks.ErrThrottled) || table.calls.Load() != 6 {
			t.Errorf("Session = %v after %d attempts, want ErrThrottled after 6", err, table.calls.Load())
		}
		if waited := time.Since(start); waited > 1550*time.Millisecond { // 50 + 100 + 200 + 400 + 800
			t.Errorf("gave up after %v, want at most 1.55s", waited)
		}
	})
}

func TestOtherErrorsAreNotRepeated(t *testing.T) {
	table := &failing{times: 1, err: sinks.ErrNoTable}
	_, err := readerOf(table).Realtime(t.Context(), query.RealtimeParams{Site: "s"})
	if !errors.Is(err, sinks.ErrNoTable) || table.calls.Load() != 1 {
		t.Errorf("Realtime = %v after %d attempts, want ErrNoTable after one", err, table.calls.Load())
	}
}

func TestCancelledReadSaysWhyAndWhatFailedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := errors.New("the asker hung up")
		ctx, cancel := context.WithCancelCause(t.Context())
		table := &failing{times: 1 << 20, err: sinks.ErrThrottled, pause: 10 * time.Millisecond}
		time.AfterFunc(15*time.Millisecond, func() { cancel(stopped) })
		_, err := readerOf(table).Realtime(ctx, query.RealtimeParams{Site: "s"})
		if !errors.Is(err, stopped) || !errors.Is(err, sinks.ErrThrottled) {
			t.Errorf("Realtime = %v, want the cause of the cancellation and the throttling", err)
		}
	})
}

func TestFanOutIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &failing{pause: time.Second}
		start := time.Now()
		a, err := readerOf(table).Events(t.Context(), query.EventsParams{Site: "s", From: now.Add(-time.Hour), To: now})
		if err != nil || !a.SiteKnown {
			t.Fatalf("Events = %+v, %v", a, err)
		}
		// One read of the entry, then 64 shards by eights: their items, then their packs. There are none, so six reads look for the days
		// that have data.
		if table.most.Load() != 8 || time.Since(start) != 23*time.Second {
			t.Errorf("%d requests at once, %v in all; want 8 and 23s", table.most.Load(), time.Since(start))
		}
	})
}

func TestAYearByHourIsReadPageByPage(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	const hours = 366 * 24
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	var batch []sinks.Item
	for i := range hours {
		key := w.keys.HourStats(shop, from.Add(time.Duration(i)*time.Hour).UnixMilli())
		batch = append(batch, sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrEvents: sinks.Int(2),
			sinks.AttrUniques(tp0): small(i, i+2)})
		if len(batch) == sinks.MaxBatchPut || i == hours-1 {
			if _, err := w.table.BatchPut(t.Context(), sinktest.Batch(batch...)); err != nil {
				t.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	counted := &counting{Table: w.table}
	w.Reader = query.NewOf(counted, w.keys, func() time.Time { return now })
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: from, To: from.AddDate(1, 0, 0), By: query.Hour,
		Paging: query.Paging{Limit: 48}}))
	if len(a.Buckets) != 48 || a.Cursor == "" || a.Totals.Events != 2*hours {
		t.Errorf("%d buckets, cursor %q, %d events in all; want 48, a cursor and %d", len(a.Buckets), a.Cursor, a.Totals.Events, 2*hours)
	}
	if n := *a.Totals.UniqueVisitors; n < hours*97/100 || n > hours*103/100 {
		t.Errorf("%d visitors in all, want about %d", n, hours+1)
	}
	if counted.queries < hours/500 {
		t.Errorf("%d requests for %d items: want pages of 500 at most", counted.queries, hours)
	}
	counted.queries = 0
	b := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, By: query.Hour, Paging: query.Paging{Limit: 48,
		Cursor: a.Cursor}}))
	if len(b.Buckets) != 48 || !b.Buckets[0].Start.Equal(from.Add(48*time.Hour)) || counted.queries > 10 {
		t.Errorf("the second page has %d buckets from %v on and took %d requests; want 48 from the third day on, by one for the partitions "+
			"of the site, one for the stats and two for each of four dates, its visitors and its journal", len(b.Buckets), b.Buckets[0].Start,
			counted.queries)
	}
}

func TestPassingOverTooManyEndsThePageEarly(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 1)
	const events = 10_050
	var batch []sinks.Item
	for i := range events {
		key := w.keys.Event(shop, 0, fmt.Sprintf("01%024d", i)) // Early in the year 2005.
		batch = append(batch, sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			"type": sinks.Str([]string{"click", "page_view"}[i/10_040])})
		if len(batch) == sinks.MaxBatchPut {
			if _, err := w.table.BatchPut(t.Context(), sinktest.Batch(batch...)); err != nil {
				t.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	p := query.EventsParams{Site: shop, Type: "page_view", From: time.UnixMilli(1), To: now, Paging: query.Paging{Limit: 100}}
	a := must[query.EventsAnswer](t)(w.Events(t.Context(), p))
	if len(a.Events) != 0 || a.Cursor == "" {
		t.Fatalf("%d events and cursor %q; want none among the first 10,000, and a cursor", len(a.Events), a.Cursor)
	}
	p.Cursor = a.Cursor
	if a = must[query.EventsAnswer](t)(w.Events(t.Context(), p)); len(a.Events) != 10 || a.Cursor != "" {
		t.Errorf("%d events and cursor %q on the second page; want 10 and none", len(a.Events), a.Cursor)
	}
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	for i := range 3 {
		w.hour(shop, at(i), future, 1, 1, 1, nil)
	}
	ctx, hour := t.Context(), query.StatsParams{Site: shop, From: at(0), Paging: query.Paging{Limit: 1}}
	cursor := must[query.StatsAnswer](t)(w.Stats(ctx, hour)).Cursor
	stats := func(change func(*query.StatsParams)) error {
		p := hour
		change(&p)
		_, err := w.Stats(ctx, p)
		return err
	}
	sessions := func(p query.SessionsParams) error { _, err := w.Sessions(ctx, p); return err }
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"no site":               {stats(func(p *query.StatsParams) { p.Site = "" }), "site: missing"},
		"a site of other bytes": {stats(func(p *query.StatsParams) { p.Site = "\xff" }), "not valid UTF-8"},
		"no beginning":          {stats(func(p *query.StatsParams) { p.From = time.Time{} }), "from: missing"},
		"an empty range":        {stats(func(p *query.StatsParams) { p.To = p.From }), "must begin before its end"},
		"before 1970":           {stats(func(p *query.StatsParams) { p.From = time.UnixMilli(-1) }), "1970"},
		"after 9999":            {stats(func(p *query.StatsParams) { p.To = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }), "9999"},
		"fortnights":            {stats(func(p *query.StatsParams) { p.By = "fortnight" }), `by "fortnight"`},
		"days within hours": {stats(func(p *query.StatsParams) { p.By, p.Zone = query.Day, location(t, "Asia/Kolkata") }),
			`tz "Asia/Kolkata": a bucket would begin at 2026-05-12T00:00:00+05:30, in the middle of an hour of UTC`},
		"hours within hours": {stats(func(p *query.StatsParams) { p.Zone = location(t, "Asia/Kathmandu") }), "leave tz out"},
		"a year before too early a year": {stats(func(p *query.StatsParams) {
			p.By, p.Zone, p.Compare = query.Year, location(t, "Asia/Singapore"), true
			p.From, p.To = time.Date(1982, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(1983, 6, 1, 0, 0, 0, 0, time.UTC)
		}), "+07:30"},
		"nothing before": {stats(func(p *query.StatsParams) {
			p.From, p.To, p.Compare = time.UnixMilli(0), time.UnixMilli(0).Add(time.Hour), true
		}), "compare: the previous range would begin before 1970"},
		"a date within an hour": {second(w.Uniques(ctx, query.UniquesParams{Site: shop, Zone: location(t, "Asia/Kolkata"),
			From: must[time.Time](t)(query.ParseTimeIn("2026-05-12", now, location(t, "Asia/Kolkata"))), To: now})), "leave tz out"},
		"no zone":            {second(query.ParseZone("Europe/Bärlin")), "not a time zone"},
		"the machine's zone": {second(query.ParseZone("Local")), "not a time zone"},
		"no such date":       {second(query.ParseTime("2026-02-30", now)), "there is no such date"},
		"no such month":      {second(query.ParsePeriodIn("2026-13", now, time.UTC)), "there is no such date"},
		"no days":            {second(query.ParsePeriodIn("0d", now, time.UTC)), "another number of days (1d or more)"},
		"a negative limit":   {stats(func(p *query.StatsParams) { p.Limit = -1 }), `limit "-1"`},
		"too high a limit":   {stats(func(p *query.StatsParams) { p.Limit = query.MaxLimit + 1 }), "10000"},
		"a made-up cursor":   {stats(func(p *query.StatsParams) { p.Cursor = "page2" }), "not a cursor of an answer"},
		"another's cursor":   {stats(func(p *query.StatsParams) { p.Cursor, p.Desc = cursor, true }), "another question"},
		"a cursor elsewhere": {sessions(query.SessionsParams{Site: shop, Paging: query.Paging{Cursor: cursor}}), "another question"},
		"user and visitor":   {sessions(query.SessionsParams{Site: shop, User: "u", Visitor: "v"}), "one of them"},
		"a thousand pages":   {second(w.Realtime(ctx, query.RealtimeParams{Site: shop, Pages: 1000})), `pages "1000"`},
		"no session":         {second(w.Session(ctx, query.SessionParams{Site: shop})), "session: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, ok := errors.AsType[*query.ParamError](c.err); !ok || !strings.Contains(c.err.Error(), c.says) {
				t.Errorf("error %v, want a ParamError that says %q", c.err, c.says)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"now":                       "2026-05-12T14:35:20Z",
		"-24h":                      "2026-05-11T14:35:20Z",
		"-90m":                      "2026-05-12T13:05:20Z",
		"-7d":                       "2026-05-06T00:00:00Z", // Seven days with today.
		"-1d":                       "2026-05-12T00:00:00Z",
		"-0d":                       "2026-05-12T14:35:20Z",
		"-2w":                       "2026-04-29T00:00:00Z",
		"+1d":                       "2026-05-13T14:35:20Z",
		"+1w":                       "2026-05-19T14:35:20Z",
		"today":                     "2026-05-12T00:00:00Z",
		"yesterday":                 "2026-05-11T00:00:00Z",
		"2025-11":                   "2025-11-01T00:00:00Z",
		"2024":                      "2024-01-01T00:00:00Z",
		"-20000d":                   "1971-08-10T00:00:00Z",
		"1970-01-01":                "1970-01-01T00:00:00Z",
		"9999-12-31T23:59:59.999Z":  "9999-12-31T23:59:59.999Z",
		"2026-05-12":                "2026-05-12T00:00:00Z",
		"2026-05-12T14:00:00+02:00": "2026-05-12T12:00:00Z",
		"2026-05-12T14:00:00.5Z":    "2026-05-12T14:00:00.5Z",
	} {
		if got, err := query.ParseTime(text, now); err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("ParseTime(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Yesterday", "tomorrow", "24h", "7d", "-d", "--7d", "-+7d", "-w", "-1y", "-1.5d", "2026-5",
		"2026-13", "202", "20261", "2026-13-01", "2026-05-12 14:00", "--1h",
		"0001-01-01", "0001-01-01T00:00:00Z", "1969-12-31", "1970-01-01T00:00:00+01:00", "-200000d", "+9000000d", "9999-12-31T23:59:59-01:00"} {
		if got, err := query.ParseTime(text, now); err == nil {
			t.Errorf("ParseTime(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseTimeInAZone(t *testing.T) {
	berlin := time.Date(2026, 3, 29, 10, 0, 0, 0, time.UTC) // Clocks were set forward nine hours ago.
	for _, c := range []struct{ zone, text, want string }{
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00Z"},
		{"Europe/Berlin", "1970-01-01", "1970-01-01T00:00:00Z"}, // An hour late: there is nothing before.
		{"Europe/Berlin", "1970-01-02", "1970-01-01T23:00:00Z"},
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"}, // Midnight is skipped.
		{"Europe/Berlin", "-1d", "2026-03-28T23:00:00Z"},
		{"Europe/Berlin", "-2d", "2026-03-27T23:00:00Z"},
		{"Europe/Berlin", "today", "2026-03-28T23:00:00Z"},
		{"America/New_York", "yesterday", "2026-03-28T04:00:00Z"},
		{"America/New_York", "2026-03", "2026-03-01T05:00:00Z"},
		{"Pacific/Kiritimati", "today", "2026-03-29T10:00:00Z"}, // Where it is the 30th.
		{"Europe/Berlin", "-24h", "2026-03-28T10:00:00Z"},
		{"Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T00:00:00Z"},
	} {
		if got, err := query.ParseTimeIn(c.text, berlin, location(t, c.zone)); err != nil || got.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("ParseTimeIn(%q, %s) = %v, %v; want %s", c.text, c.zone, got, err, c.want)
		}
	}
}

func TestSumsBeyond64Bits(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	n := must[int128.Int](t)(int128.Parse("-9223372036854775808000001"))
	for i := range 2 {
		w.put(w.keys.HourStats(shop, at(i).UnixMilli()), time.Time{}, sinks.Item{sinks.AttrEvents: sinks.Int(1), sinks.AttrValues: sinks.Int(1),
			sinks.AttrValueMicros: sinks.Num(n)})
	}
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: at(0)}))
	got := []string{a.Buckets[0].ValueSum, a.Totals.ValueSum}
	if want := []string{"-9223372036854775808.000001", "-18446744073709551616.000002"}; !slices.Equal(got, want) {
		t.Errorf("sums %q, want %q", got, want)
	}
}

func TestBrokenSketchIsAnErrorThatNamesIt(t *testing.T) {
	w := newWorld(t)
	w.hour(shop, at(1), future, 1, 1, 1, map[sinks.TP]sinks.Value{tp0: sinks.Bytes([]byte("nonsense"))})
	_, err := w.Uniques(t.Context(), query.UniquesParams{Site: shop, From: at(0)})
	if err == nil || !strings.Contains(err.Error(), "h1_0") || !strings.Contains(err.Error(), "STATS#hour#2026-05-12T01") {
		t.Errorf("Uniques = %v, want an error that names the attribute and the item", err)
	}
}
