package query_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// now is the instant at which all questions are asked.
var now = time.Date(2026, 5, 12, 14, 35, 20, 0, time.UTC)

var (
	tp0 = sinks.TP{Topic: 1, Partition: 0}
	tp1 = sinks.TP{Topic: 1, Partition: 17}
)

// shop is a site whose id would end a key's segment if ids were not escaped.
const shop = "shop#1"

// A world is a table with items as the pipeline writes them.
type world struct {
	t     testing.TB
	table sinks.Table
	keys  sinks.Keys
	*query.Reader

	lists    int64    // of sessions by visitor
	revision int64    // of the rules, the last
	packing  *packing // raw events are packed; nil: they are items
}

// newWorld makes an empty world in memory.
func newWorld(t testing.TB) *world {
	t.Helper()
	table := testworld.Table(t)
	return worldOn(t, table, sinks.Keys{})
}

func worldOn(t testing.TB, table sinks.Table, keys sinks.Keys) *world {
	w := &world{t: t, table: table, keys: keys, Reader: query.NewOf(table, keys, func() time.Time { return now })}
	if _, err := sinks.EnsureTableSettings(t.Context(), table, keys, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// site lists a site, with rules if it has other shards than the default.
func (w *world) site(site string, shards int) {
	w.t.Helper()
	if shards != 0 && shards != sinks.DefaultShards {
		w.rules(site, &sites.Rules{Shards: []sites.Shards{{N: shards}}})
	} else if _, err := sinks.EnsureSiteEntry(w.t.Context(), w.table, w.keys, site); err != nil {
		w.t.Fatal(err)
	}
}

// topic has the table give a topic the number, which must be the next.
func (w *world) topic(name string, number int64) {
	w.t.Helper()
	if n, err := sinks.EnsureTopic(w.t.Context(), w.table, w.keys, name); err != nil || n != number {
		w.t.Fatalf("topic %s has number %d, %v; want %d", name, n, err, number)
	}
}

// rules decides about a site.
func (w *world) rules(site string, s *sites.Rules) {
	w.t.Helper()
	w.revision++
	if err := sites.Publish(w.t.Context(), w.table, w.keys, sites.Revision{Rev: w.revision, Site: site, Rules: s}); err != nil {
		w.t.Fatal(err)
	}
}

// put writes an item under the key. ttl is an instant; the zero one never comes.
func (w *world) put(key sinks.Key, ttl time.Time, attrs sinks.Item) {
	w.t.Helper()
	attrs[sinks.AttrPK], attrs[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
	if !ttl.IsZero() {
		attrs[sinks.AttrTTL] = sinks.Int(ttl.Unix())
	}
	if _, err := w.table.Put(w.t.Context(), sinks.Put{Item: attrs}); err != nil {
		w.t.Fatal(err)
	}
}

// Spans that are over and that are not.
var (
	past   = now.Add(-time.Second)
	future = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) // DynamoDB Local deletes what has expired by its own clock.
)

// visitors makes the bytes of a sketch of the visitors from..to-1.
func visitors(u *sketch.Uniques, from, to int) sinks.Value {
	for i := from; i < to; i++ {
		u.Add(xxhash.Sum64String(fmt.Sprint("visitor ", i)))
	}
	b, err := u.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return sinks.Bytes(b)
}

// hour puts an hour's stats: so many page views and events, and sessions, a third of them bounces and half of them
// engaged, of a minute each. parts are small parts of its visitors; each partition has a least and a greatest value.
func (w *world) hour(site string, start, ttl time.Time, pageViews, events, sessions int64, parts map[sinks.TP]sinks.Value) {
	w.t.Helper()
	it := figures(pageViews, events, sessions)
	for tp, v := range parts {
		it[sinks.AttrUniques(tp)] = v
		it[sinks.AttrMark("stats", tp)] = sinks.Int(3)
		if sessions > 0 {
			least := 500_000 * int64(tp.Partition-1)
			it[sinks.AttrLeast(tp)], it[sinks.AttrGreatest(tp)] = sinks.Int(least), sinks.Int(least+4_000_000)
		}
	}
	w.put(w.keys.HourStats(site, start.UnixMilli()), ttl, it)
}

func (w *world) day(site string, start, ttl time.Time, pageViews, events, sessions int64) {
	w.t.Helper()
	w.put(w.keys.DayStats(site, start.UnixMilli()), ttl, figures(pageViews, events, sessions))
}

func figures(pageViews, events, sessions int64) sinks.Item {
	it := sinks.Item{sinks.AttrEvents: sinks.Int(events), sinks.AttrEntity: sinks.Str(sinks.EntityStats)}
	for name, n := range map[string]int64{sinks.AttrPageViews: pageViews, sinks.AttrSessions: sessions, sinks.AttrBounces: sessions / 3,
		sinks.AttrEngaged: sessions / 2, sinks.AttrDurationMs: sessions * 60_000, sinks.AttrValues: sessions,
		sinks.AttrValueMicros: sessions * 2_500_000} {
		if n != 0 { // The pipeline adds no zeros.
			it[name] = sinks.Int(n)
		}
	}
	return it
}

// part puts a part of an hour's visitors that has outgrown the stats item.
func (w *world) part(site string, start, ttl time.Time, tp sinks.TP, v sinks.Value) {
	w.t.Helper()
	w.put(w.keys.Uniques(site, start.UnixMilli(), tp), ttl, sinks.Item{sinks.AttrPart: v})
}

// breakdown puts a partition's breakdown of an hour, of so many rows.
func (w *world) breakdown(site string, start, ttl time.Time, tp sinks.TP, rows int, fill func(*sketch.Breakdown)) {
	w.t.Helper()
	b := sketch.NewBreakdown(rows)
	fill(b)
	part, err := sketch.PackBreakdown(b)
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(w.keys.Breakdown(site, start.UnixMilli(), tp), ttl, sinks.Item{sinks.AttrPart: sinks.Bytes(part)})
	_, err = w.table.Update(w.t.Context(), sinks.Update{Key: w.keys.HourStats(site, start.UnixMilli()), // Never without.
		Set: []sinks.Attr{{Name: sinks.AttrTTL, Value: sinks.Int(ttl.Unix())}}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// minute puts a realtime minute; pages are page views by page.
func (w *world) minute(site string, start, ttl time.Time, tp sinks.TP, events int64, v sinks.Value, pages map[string]int) {
	w.t.Helper()
	top, views := sketch.NewTop(50), int64(0)
	for page, n := range pages {
		for range n {
			top.Add([]byte(page))
			views++
		}
	}
	b, err := top.AppendBinary(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(w.keys.Realtime(site, start.UnixMilli(), tp), ttl, sinks.Item{sinks.AttrEvents: sinks.Int(events),
		sinks.AttrPageViews: sinks.Int(views), sinks.AttrVisitors: v, sinks.AttrPages: sinks.Bytes(b)})
}

// session puts a session of two page views and three events that lasted a minute and a half.
func (w *world) session(site, id string, opened, ttl time.Time, tp sinks.TP, visitor, user string) {
	w.t.Helper()
	at := opened.UnixMilli()
	it := sinks.Item{}
	cur := state.Session{OpenedAt: at, StartedAt: at, EndedAt: at + 90_000, PageViews: 2, Events: 3, Booked: state.NotBooked,
		Entry: state.PageVisit{Page: "/", At: at}, Exit: state.PageVisit{Page: "/cart", At: at + 90_000}}
	if tp == tp0 { // That of another partition says nothing, as without breakdowns.
		cur.Reached, _ = state.Goals("").With(3)
		cur.Reached, _ = cur.Reached.With(300)
		cur.First = new(state.Values)
		for d, name := range sinks.DimensionNames {
			if name != "" {
				cur.First[d] = "a " + name
			}
		}
	}
	it[sinks.AttrCur] = sinks.Bytes(cur.AppendBinary(nil, &state.Session{}))
	order := sinks.SessionOrder(at, id, tp)
	if user != "" {
		it[sinks.AttrGSI1PK], it[sinks.AttrGSI1SK] = sinks.Str(w.keys.User(site, user)), sinks.Str(order)
	}
	if visitor != "" {
		it[sinks.AttrVisitorID] = sinks.Str(sinks.CompactID(visitor))
		w.listed(site, visitor, id, at, ttl, tp)
	}
	w.put(w.keys.Session(site, id, tp, sinks.DefaultShards), ttl, it)
}

// listed lists a session by its visitor, as a flush of its own that chose a depth.
func (w *world) listed(site, visitor, id string, at int64, ttl time.Time, tp sinks.TP) {
	w.t.Helper()
	w.lists++
	hash, hour := sinks.VisitorHash(visitor), at-at%time.Hour.Milliseconds()
	bucket := sinks.VisitorBucketOf(hash, int(w.lists)%(sinks.MaxVisitorDepth+1))
	entries := []state.ListedSession{{Visitor: hash, OpenedAt: at, Session: id}}
	w.put(w.keys.VisitorSessions(site, bucket, hour, tp, w.lists, 0), ttl,
		sinks.Item{sinks.AttrListed: sinks.Bytes(state.AppendListed(nil, entries, hour, tp))})
}

// recent puts an item of recent sessions.
func (w *world) recent(site string, minute, ttl time.Time, tp sinks.TP, step int64, ids ...string) {
	w.t.Helper()
	w.put(w.keys.Recent(site, minute.UnixMilli(), tp, step, 0), ttl, sinks.Item{sinks.AttrSessionIDs: sinks.Strings(ids)})
}

// event puts a raw event; n makes its identity.
func (w *world) event(site string, shards int, session string, at, ttl time.Time, n int, more sinks.Item) {
	w.t.Helper()
	it := sinks.Item{"sessionId": sinks.Str(session)}
	for name, v := range more {
		it[name] = v
	}
	w.raw(site, sinks.ShardOf(session, shards), at, ttl, n, it)
}

// raw puts a raw event into a shard. A value of no kind takes away what every event here has.
func (w *world) raw(site string, shard int, at, ttl time.Time, n int, more sinks.Item) {
	w.t.Helper()
	var u ulid.ULID
	if err := u.SetTime(uint64(at.UnixMilli())); err != nil {
		w.t.Fatal(err)
	}
	h := xxhash.Sum64String(fmt.Sprint("event ", n))
	for i := range 8 {
		u[6+i] = byte(h >> (8 * i))
	}
	it := sinks.Item{"siteId": sinks.Str(site), "type": sinks.Str("page_view"), "timestamp": sinks.Int(at.UnixMilli()),
		"id": sinks.Str(fmt.Sprint("e", n)), "recordTime": sinks.Int(at.UnixMilli() + 40),
		"source": sinks.Str(fmt.Sprintf("events/0/%d", n))}
	for name, v := range more {
		it[name] = v
		if v.Kind() == sinks.None {
			delete(it, name)
		}
	}
	item, packed := w.packing.take(site, shard, u, ttl, it)
	w.mark(site, item, packed)
	if !item {
		return
	}
	w.put(w.keys.Event(site, shard, u.String()), ttl, it)
}

// must fails the test on an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// compact spells a value as JSON on one line, for comparisons.
func compact(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pages asks for page after page until there is none, and checks that each keeps to its limit.
func pages[T any](t testing.TB, limit int, ask func(string) (rows []T, expired int, next string, err error)) (all []T, expired, count int) {
	t.Helper()
	cursor := ""
	for {
		rows, left, next, err := ask(cursor)
		if err != nil {
			t.Fatalf("page %d: %v", count, err)
		}
		if len(rows) > limit {
			t.Fatalf("page %d has %d rows, the limit is %d", count, len(rows), limit)
		}
		all, expired, count = append(all, rows...), expired+left, count+1
		if next == "" {
			return all, expired, count
		}
		if next == cursor || count > 1000 {
			t.Fatalf("page %d does not move on from cursor %q", count, cursor)
		}
		cursor = next
	}
}

// counting counts the requests that reach a table.
type counting struct {
	sinks.Table
	queries int
}

func (c *counting) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	c.queries++
	return c.Table.Query(ctx, q)
}

// mark notes in a site's entry where its raw events are, as workers do.
func (w *world) mark(site string, items, packs bool) {
	w.t.Helper()
	for attr, set := range map[string]bool{sinks.AttrRawItems: items, sinks.AttrRawPacks: packs} {
		if !set {
			continue
		}
		_, err := w.table.Update(w.t.Context(), sinks.Update{Key: w.keys.SiteEntry(site), Set: []sinks.Attr{{Name: attr, Value: sinks.Int(1)}},
			If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}
