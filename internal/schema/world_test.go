package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/upgrade"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

const topic = "events"

// Sites of a world: one that was created, one that was not, and one whose id every key cuts.
const (
	shop = "shop#1"
	blog = "blog"
)

var cutSite = strings.Repeat("#", 120)

// world is a broker and a table in a bubble of fake time, which begins at midnight.
type world struct {
	cluster *kfake.Cluster
	t       *testing.T
	seeds   []kgo.Opt
	hashKey []byte // nil: the table makes one
	table   *recorder
	client  *kgo.Client
	renamed string              // added to the name of the consumer group
	packed  bool                // raw events are
	shelf   *testpipeline.Shelf // of schemas that values name; nil: none
	start   time.Time
}

func inWorld(t *testing.T, hashKey []byte, f func(t *testing.T, w *world)) {
	testworld.InBubble(t, 1, func(t *testing.T, b *testworld.World) {
		f(t, &world{t: t, cluster: b.Cluster, hashKey: hashKey, start: time.Now().UTC(), seeds: b.Kafka, client: b.Client,
			table: newRecorder(b.Table)})
	}, kfake.SeedTopics(2, topic))
}

func (w *world) kafka() []kgo.Opt { return append([]kgo.Opt(nil), w.seeds...) }

// items are all items that were written and are there.
func (w *world) items() map[sinks.Key]sinks.Item {
	w.t.Helper()
	w.table.mu.Lock()
	keys := slices.Collect(maps.Keys(w.table.keys))
	w.table.mu.Unlock()
	all := make(map[sinks.Key]sinks.Item)
	for part := range slices.Chunk(keys, sinks.MaxBatchGet) {
		r, err := w.table.BatchGet(w.t.Context(), sinks.BatchGet{Keys: part, Consistent: true})
		if err != nil {
			w.t.Fatal(err)
		}
		maps.Copy(all, r.Items)
	}
	return all
}

// item is the one item at a key.
func (w *world) item(key sinks.Key) sinks.Item {
	w.t.Helper()
	it := w.items()[key]
	if it == nil {
		w.t.Fatalf("there is no item at %v", key)
	}
	return it
}

// eventKey finds the raw event of an id.
func (w *world) eventKey(id string) sinks.Key {
	w.t.Helper()
	for key, it := range w.items() {
		if it[sinks.AttrEntity].Str() == sinks.EntityEvent && it["id"].Str() == id {
			return key
		}
	}
	w.t.Fatalf("there is no raw event %s", id)
	return sinks.Key{}
}

// arrival is the key of some arrival at the shop.
func (w *world) arrival() (key sinks.Key) {
	w.t.Helper()
	for k, it := range w.items() {
		if it[sinks.AttrEntity].Str() == sinks.EntityArrival && (key.SK == "" || k.SK < key.SK) {
			key = k
		}
	}
	if key.SK == "" {
		w.t.Fatal("there is no arrival")
	}
	return key
}

// event makes an event so long after the bubble began, with more fields.
func (w *world) event(site, kind string, after time.Duration, more ...any) map[string]any {
	e := map[string]any{"siteId": site, "type": kind, "timestamp": w.start.Add(after).UnixMilli()}
	for i := 0; i < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	return e
}

func (w *world) produce(partition int32, events ...map[string]any) {
	w.t.Helper()
	var records []*kgo.Record
	for _, e := range events {
		value, err := json.Marshal(e)
		if err != nil {
			w.t.Fatal(err)
		}
		if w.shelf != nil {
			value = testpipeline.Framed([]testpipeline.Record{{Value: value}}, 7)[0].Value
		}
		records = append(records, &kgo.Record{Topic: topic, Partition: partition, Value: value})
	}
	if err := w.client.ProduceSync(w.t.Context(), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

// traffic publishes something for every attribute that the pipeline writes: a session of a known visitor and user with all
// fields, one that is no bounce, visits, more visitors than ride in the hour's item, and records that are rejected.
func (w *world) traffic() {
	page := func(after time.Duration, id, visitor, session, url string, more ...any) map[string]any {
		more = append(more, "id", id, "visitorId", visitor, "sessionId", session, "url", "https://shop.example"+url)
		return w.event(shop, "page_view", after, more...)
	}
	const campaign = "?utm_source=mail&utm_medium=email&utm_campaign=may&utm_content=top&utm_term=red"
	where := []any{"referrer", "https://search.example/", "userAgent", firefox, "country", "CH", "region", "ZH", "city", "Zürich",
		"device", "desktop", "browser", "Firefox", "os", "Linux"}
	w.produce(0,
		page(time.Second, "e-1", "v-1", "s-1", "/kettles"+campaign,
			append([]any{"userId", "u-1", "title", "Kettles", "properties", map[string]any{"plan": "pro"}}, where...)...),
		w.event(shop, "purchase", 20*time.Second, "id", "e-2", "visitorId", "v-1", "sessionId", "s-1", "userId", "u-1",
			"name", "order", "value", -12.5),
		page(30*time.Second, "e-3", "v-1", "s-1", "/cart"),
		page(40*time.Second, "e-4", "v-2", "s-2", "/kettles"+campaign, where...), // Its rows outlive v-1.
		w.event(shop, "page_view", -50*time.Hour, "visitorId", "v-1"))
	w.produce(0, w.event(shop, "page_view", 41*time.Second, "id", "e-5", "visitorId", "crawler", "sessionId", "s-9",
		"url", "https://shop.example/kettles", "value", 2,
		"userAgent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"))
	w.produce(1, w.event(shop, "click", 44*time.Second, "visitorId", "v-4", "sessionId", "s-4", "name", "play", "url",
		"https://copy.example/"),
		w.event(shop, "page_view", 45*time.Second, "visitorId", "v-3", "sessionId", "s-3", "url", "/"),
		w.event(cutSite, "page_view", 50*time.Second, "visitorId", "v%#1", "userId", strings.Repeat("#", 100), "sessionId",
			strings.Repeat("%", 100), "url", "/"),
		w.event(shop, "page_view", 30*time.Second, "visitorId", "v-5", "url", "/"),
		w.event(shop, "page_view", 35*time.Second, "visitorId", "v-5", "url", "/cart"),
		w.event(cutSite, "page_view", 20*time.Second, "visitorId", strings.Repeat("#", 100)),
		w.event(shop, "page_view", 36*time.Second, "visitorId", "v-6", "url", "/admin/orders"))
	var crowd []map[string]any
	for i := range 60 {
		crowd = append(crowd, w.event(blog, "page_view", 2*time.Second, "id", fmt.Sprint("crowd-", i),
			"visitorId", fmt.Sprint("visitor-", i), "sessionId", fmt.Sprint("session-", i),
			"url", fmt.Sprintf("https://blog.example/posts/%d", i%12), "userAgent", firefox, "country", "CH"))
	}
	w.produce(0, crowd...)
}

// run starts a pipeline and returns what drains it.
func (w *world) run() (drain func()) {
	w.t.Helper()
	settings := checkpoint.DefaultSettings()
	settings.RawPacked = w.packed
	var registry schemas.Registry
	if w.shelf != nil {
		registry, settings.Maps = w.shelf, checkpoint.Maps{{Map: mapping.Config{Input: mapping.InputRegistry}.Canonical()}}
	}
	p, err := pipeline.New(pipeline.Options{Registry: registry, Kafka: w.kafka(), Topic: topic, Group: "g" + w.renamed,
		Table: w.table, HashKey: w.hashKey,
		SiteZone: "Europe/Lisbon", // Its clocks are those of UTC when the events come.
		Settings: settings, Limits: pipeline.Limits{Journal: aggregate.Journal{MinItem: 1, Entries: 3}}})
	if err != nil {
		w.t.Fatal(err)
	}
	return testworld.Start(w.t, p.Run)
}

// fold runs a pipeline for longer than a step of each lane takes, in fake time.
func (w *world) fold() {
	w.t.Helper()
	drain := w.run()
	w.pass(3 * time.Minute)
	drain()
}

// pass lets fake time pass.
func (w *world) pass(d time.Duration) { <-time.After(d) }

// checkpoint reads the checkpoint of partition 0.
func (w *world) checkpoint(lane string) checkpoint.Head {
	w.t.Helper()
	return testworld.Checkpoint(w.t, w.table, sinks.TP{Topic: 1}, lane)
}

// reopen leaves the last step of partition 0 as an owner that ended before it could finish does.
func (w *world) reopen(lane string) {
	w.t.Helper()
	it := maps.Clone(w.item(sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane)))
	it["d"], it["n"] = sinks.Int(0), sinks.Int(0)
	if _, err := w.table.Table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
		w.t.Fatal(err)
	}
}

// gap deletes records of partition 0 before they are folded, those of an open step among them, and returns once both of its
// chains have stopped there.
func (w *world) gap() (drain func()) {
	w.t.Helper()
	for _, lane := range checkpoint.Lanes {
		w.reopen(lane)
	}
	end := w.checkpoint(checkpoint.LaneStats).To
	for i := range 10 {
		w.produce(0, w.event(blog, "page_view", time.Duration(i)*time.Second, "visitorId", "v"))
	}
	offsets := make(kadm.Offsets)
	offsets.AddOffset(topic, 0, end+4, -1)
	if _, err := kadm.NewClient(w.client).DeleteRecords(w.t.Context(), offsets); err != nil {
		w.t.Fatal(err)
	}
	drain = w.run()
	for range 600 {
		if w.checkpoint(checkpoint.LaneStats).Gap != nil && w.checkpoint(checkpoint.LaneRealtime).Gap != nil {
			return drain
		}
		w.pass(time.Second)
	}
	w.t.Fatal("the chains do not stop at the gap")
	return nil
}

// accept lets both chains pass the gap.
func (w *world) accept() {
	w.t.Helper()
	for _, lane := range checkpoint.Lanes {
		a := checkpoint.Acceptance{Kafka: w.kafka(), Topic: topic, Table: w.table, Lane: lane, Step: w.checkpoint(lane).Step}
		if _, err := checkpoint.AcceptGap(w.t.Context(), a); err != nil {
			w.t.Fatal(err)
		}
	}
}

// park parks partition 0 at records that the broker does not hand out: those of the window of duplicates, which are folded, and the first
// that is not. It returns once the partition is parked; pass lets it pass them and continue.
func (w *world) park() (pass func()) {
	w.t.Helper()
	w.produce(0, w.event(blog, "page_view", 0, "visitorId", "v"))
	w.fold()
	end := w.checkpoint(checkpoint.LaneStats).To
	fault := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: topic, Partitions: []int32{0}, Count: -1})
	for range 2 {
		w.produce(0, w.event(blog, "page_view", 0, "visitorId", "v"))
	}
	drain := w.run()
	for range 600 {
		if w.checkpoint(checkpoint.LaneStats).Park == nil {
			w.pass(time.Second)
		}
	}
	fault.Remove()
	return func() {
		c := w.checkpoint(checkpoint.LaneStats)
		u := checkpoint.Unparking{Kafka: w.kafka(), Topic: topic, Table: w.table, From: c.Park.From, To: end - c.Base + 1}
		if err := checkpoint.Skip(w.t.Context(), u); err != nil {
			w.t.Fatal(err)
		}
		drain()
	}
}

// seal seals the day and the month that are going on.
func (w *world) seal() {
	w.t.Helper()
	if err := seal.New(seal.Options{Table: w.table, After: -40 * 24 * time.Hour}).Pass(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// erase erases a visitor while a pipeline runs, breakdowns included, of whom the journal has an event, and another comes after that.
func (w *world) erase() {
	w.t.Helper()
	drain := w.run()
	defer drain()
	w.produce(0, w.event(shop, "click", 50*time.Second, "id", "e-6", "visitorId", "v-1", "sessionId", "s-11", "url",
		"https://shop.example/late"))
	w.pass(3 * time.Minute)
	w.produce(0, w.event(shop, "click", 51*time.Second, "visitorId", "v-1", "sessionId", "s-11")) // The session has a state before.
	w.pass(3 * time.Minute)
	w.produce(0, w.event(shop, "click", 52*time.Second, "visitorId", "v-1", "sessionId", "s-11")) // In the journal: its hour was merged.
	w.pass(3 * time.Minute)
	until := w.start.AddDate(0, 0, 62) // Sealed months are swept that are over by then.
	if _, err := erase.Run(w.t.Context(), erase.Options{Table: w.table, Site: shop, Person: sites.Visitor, ID: "v-1", Breakdowns: true,
		Until: until}); err != nil {
		w.t.Fatal(err)
	}
	w.purged()
	w.produce(0, w.event(shop, "click", time.Minute, "visitorId", "v-1", "sessionId", "s-10"))
	w.pass(3 * time.Minute)
}

// purged creates a site with a token that names another one, too, and purges it. For that time the table has its last format.
func (w *world) purged() {
	w.t.Helper()
	const gone = "gone.example"
	err := sites.Create(w.t.Context(), w.table, sinks.Keys{}, sites.Definition{ID: gone}, time.Now())
	if err == nil {
		store := access.Store{Table: w.table, By: "a test", Now: time.Now}
		_, _, err = store.Create(w.t.Context(), access.Stored{Kind: access.Token, Sites: []string{gone, shop},
			Rights: []access.Right{access.Read}})
	}
	if err == nil {
		_, err = purge.Run(w.t.Context(), purge.Options{Table: w.table, Site: gone})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// replay publishes the rejected records again.
func (w *world) replay() {
	w.t.Helper()
	if _, err := replay.Run(w.t.Context(), replay.Options{Kafka: w.kafka(), Topic: topic, Table: w.table}); err != nil {
		w.t.Fatal(err)
	}
}

// rebuilt makes a generation of items live, goes back and drops it, and leaves settings as if all of it had been cut short,
// in a copy.
func (w *world) rebuilt() {
	w.t.Helper()
	date := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	has, err := rebuild.Begin(w.t.Context(), w.table, rebuild.Start{KeepBefore: date.UnixMilli(), FromRaw: true, Today: 1})
	for _, do := range []func(context.Context, sinks.Table, sinks.Generations) error{rebuild.Follow, rebuild.Flip,
		rebuild.Back} {
		if err == nil {
			err = do(w.t.Context(), w.table, has)
		}
		if err == nil {
			has, err = rebuild.Look(w.t.Context(), w.table)
		}
	}
	if err == nil {
		_, err = rebuild.Drop(w.t.Context(), w.table)
	}
	if err == nil {
		err = tableid.Ensure(w.t.Context(), testpipeline.Identified{Table: w.table, ID: "original"}, has)
	}
	if err == nil {
		_, err = rebuild.Take(w.t.Context(), testpipeline.Identified{Table: w.table, ID: "copy"}, has.Live, 0)
	}
	if err == nil {
		var set []sinks.Attr
		for _, name := range []string{sinks.AttrGeneration, sinks.AttrBuilding, sinks.AttrFollowing, sinks.AttrFormer,
			sinks.AttrDropping, sinks.AttrFlipped, sinks.AttrFromRaw} {
			set = append(set, sinks.Attr{Name: name, Value: sinks.Int(1)})
		}
		set = append(set, sinks.Attr{Name: sinks.AttrKeepBefore, Value: sinks.Int(1)},
			sinks.Attr{Name: sinks.AttrKept, Value: sinks.Str("3:2:2026-05-12")},
			sinks.Attr{Name: sinks.AttrToday, Value: sinks.Str("2:1764403200000")})
		_, err = w.table.Table.Update(w.t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(), Set: set})
	}
	if err == nil {
		const moved = "moved.example"
		var log *sites.Log
		if log, err = sites.ReadLog(w.t.Context(), w.table, sinks.Keys{}, nil); err == nil {
			log, err = sites.AppendLog(w.t.Context(), w.table, sinks.Keys{}, log, sites.Revision{At: 1, Site: moved,
				Rules: &sites.Rules{CreatedAt: 1, Zones: []sites.Zone{{From: 1, Name: "Asia/Tokyo"}}}})
		}
		if err == nil {
			err = sites.PublishSite(w.t.Context(), w.table, sinks.Keys{}, moved, log.History(moved))
		}
		if err == nil {
			err = rebuild.FixZones(w.t.Context(), w.table, sinks.Generations{Live: 1, Building: 3, Last: 3, Today: "3:1764403200000"})
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// merge notes that an item of a chain's history stands for others, as its owner does when weeks have passed.
func (w *world) merge() {
	w.t.Helper()
	to := sinks.Int(1)
	r, err := w.table.Update(w.t.Context(), sinks.Update{Key: sinks.Keys{}.History(sinks.TP{Topic: 1}, checkpoint.LaneStats, 1),
		Set: []sinks.Attr{{Name: checkpoint.AttrMerged, Value: to}},
		If: []sinks.Cond{{Attr: checkpoint.AttrStep, Op: sinks.Equal, Value: sinks.Int(1)},
			{Attr: checkpoint.AttrMerged, Op: sinks.AbsentOrLess, Value: to}}})
	if err != nil || r.Refused {
		w.t.Fatalf("the first item of a chain's history: %+v, %v", r, err)
	}
}

// upgrade finalizes the table, which an earlier release might have made, and leaves it as a finalize that is cut short at the end.
func (w *world) upgrade() {
	w.t.Helper()
	testpipeline.MakeEarlier(w.t, w.table.Table)
	_, err := upgrade.Finalize(w.t.Context(), w.table, false)
	if err == nil {
		_, err = w.table.Table.Update(w.t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(),
			Set: []sinks.Attr{{Name: sinks.AttrFencing, Value: sinks.Int(1)}}})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
