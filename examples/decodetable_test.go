package examples

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestDecodersReadATable: the decoders read every encoded attribute of a table that a pipeline has written, and their rows of the hours
// are those that a query answers.
func TestDecodersReadATable(t *testing.T) {
	var vectors []vector
	var pages []query.TopRow
	testworld.InBubble(t, 1, func(t *testing.T, w *testworld.World) {
		table := &noting{Table: w.Table, keys: make(map[sinks.Key]bool)}
		settings := checkpoint.DefaultSettings()
		settings.RawEvents, settings.RawPacked = true, true
		drain := testworld.Start(t, func(ctx context.Context) error {
			p, err := pipeline.New(pipeline.Options{Kafka: w.Kafka, Topic: "events", Group: "footfall", Table: table, Settings: settings,
				StatsInterval: 10 * time.Second})
			if err != nil {
				return err
			}
			return p.Run(ctx)
		})
		end, rng := time.Now(), rand.New(rand.NewPCG(7, 7))
		begin := end.Add(-8 * time.Hour)
		publishVisits(t, w.Client, rng, "shop", begin, slow.Of(t, 1000, 3000))
		publishVisits(t, w.Client, rng, "small", begin, 30)
		publishVisits(t, w.Client, rng, "now", end.Add(-8*time.Hour+time.Minute), slow.Of(t, 700, 2000)) // for realtime
		<-time.After(5 * time.Minute)
		drain()
		later := func() time.Time { return end.Add(4 * 24 * time.Hour) } // Days are sealed.
		if err := seal.New(seal.Options{Table: table, Now: later}).Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, it := range table.items(t) {
			if v, ok := stored(t, it); ok {
				vectors = append(vectors, v)
			}
		}
		top, err := query.New(table, time.Now).Top(t.Context(),
			query.TopParams{Site: "shop", Dimension: "page", From: begin, To: end})
		if err != nil {
			t.Fatal(err)
		}
		pages = top.Rows
	}, kfake.SeedTopics(2, "events"))
	kinds := make(map[string]bool)
	for _, v := range vectors {
		kinds[v.Item[sinks.AttrEntity]["S"]] = true
	}
	for _, entity := range []string{sinks.EntityStats, sinks.EntityUniques, sinks.EntityBreakdown, sinks.EntityRealtime,
		sinks.EntitySealedUniques, sinks.EntitySealedBreakdown, sinks.EntitySession, sinks.EntityPack, sinks.EntityNewSessions} {
		if !kinds[entity] {
			t.Errorf("the table has no encoded attribute of kind %s: nothing is shown of it", entity)
		}
	}
	for name, command := range decoders {
		t.Run(name, func(t *testing.T) {
			events := make(map[string]int64)
			for _, line := range decode(t, command, vectors) {
				var item struct {
					PK, SK string
					Part   map[string]plainDimension
				}
				if json.Unmarshal(line, &item) != nil || !strings.HasPrefix(item.PK, sinks.Keys{}.BreakdownList("shop")) {
					continue
				}
				if strings.HasPrefix(item.SK, sinks.BreakdownPrefix) {
					for _, row := range item.Part["page"].Rows {
						events[row.Value] += row.Events
					}
				}
			}
			for _, row := range pages {
				if events[row.Value] != row.Events {
					t.Errorf("page %s: %d events are decoded, the query answers %d", row.Value, events[row.Value], row.Events)
				}
			}
			if len(pages) == 0 || len(events) != len(pages) {
				t.Errorf("%d pages are decoded, the query answers %d", len(events), len(pages))
			}
		})
	}
}

// noting notes the keys of what is written to a table.
type noting struct {
	sinks.Table
	mu   sync.Mutex // covers keys
	keys map[sinks.Key]bool
}

func (n *noting) note(key sinks.Key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.keys[key] = true
}

func (n *noting) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	n.note(u.Key)
	return n.Table.Update(ctx, u)
}

func (n *noting) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	n.note(p.Item.Key())
	return n.Table.Put(ctx, p)
}

// items are those that were written and are still there, but for those that were put in batches, which have nothing encoded.
func (n *noting) items(t *testing.T) (items []sinks.Item) {
	t.Helper()
	for key := range n.keys {
		if it := testworld.Item(t, n.Table, key); it != nil {
			items = append(items, it)
		}
	}
	return items
}

// publishVisits publishes views and purchases of visitors, some of whom return, spread over eight hours.
func publishVisits(t *testing.T, client *kgo.Client, rng *rand.Rand, site string, begin time.Time, events int) {
	t.Helper()
	var records []*kgo.Record
	for i := range events {
		e := map[string]any{"siteId": site, "type": "page_view", "url": fmt.Sprintf("https://%s.example/%d", site, rng.IntN(60)),
			"timestamp": begin.Add(8 * time.Hour * time.Duration(i) / time.Duration(events)).UnixMilli()}
		visitor := fmt.Sprint("v", rng.IntN(1+events))
		e["visitorId"] = visitor
		if i%10 == 0 {
			e["type"], e["value"] = "purchase", float64(-i)-0.25
		}
		value, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, &kgo.Record{Topic: "events", Partition: int32(i % 2), Key: []byte(visitor), Value: value})
	}
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// stored is the vector of an item with encoded attributes, if it has any, as package sketch reads them.
func stored(t *testing.T, it sinks.Item) (v vector, ok bool) {
	t.Helper()
	entity, key := it[sinks.AttrEntity].Str(), it.Key()
	v.Item = map[string]map[string]string{"pk": {"S": key.PK}, "sk": {"S": key.SK}, sinks.AttrEntity: {"S": entity}}
	want := map[string]any{"pk": key.PK, "sk": key.SK}
	if entity == sinks.EntitySession {
		v.withIDs(it, want)
	}
	base := len(want)
	for name, value := range it {
		if value.Kind() != sinks.Binary {
			continue
		}
		tp, own := sinks.PartitionOf(entity, name)
		switch {
		case name == sinks.AttrPart && (entity == sinks.EntityBreakdown || entity == sinks.EntitySealedBreakdown):
			b := new(sketch.Breakdown)
			if err := sketch.UnpackBreakdown(value.Bytes(), b); err != nil {
				t.Fatal(err)
			}
			want[name] = breakdownOf(t, b)
		case name == sinks.AttrPages && entity == sinks.EntityRealtime:
			top := new(sketch.Top)
			if err := top.UnmarshalBinary(value.Bytes()); err != nil {
				t.Fatal(err)
			}
			want[name] = topOf(top)
		case name == sinks.AttrPart && (entity == sinks.EntityUniques || entity == sinks.EntitySealedUniques),
			name == sinks.AttrVisitors && entity == sinks.EntityRealtime, own && name == sinks.AttrUniques(tp):
			u := new(sketch.Uniques)
			if err := u.UnmarshalBinary(value.Bytes()); err != nil {
				t.Fatal(err)
			}
			want[name] = visitorsOf(u)
		case name == sinks.AttrPart && entity == sinks.EntityPack:
			want[name] = packOf(t, it)
		case name == sinks.AttrCur && entity == sinks.EntitySession:
			s, err := state.SessionOf(it)
			if err != nil {
				t.Fatal(err)
			}
			want[name] = sessionOf(&s)
		case name == sinks.AttrListed:
			want[name] = listOf(t, it)
		default:
			continue
		}
		v.Item[name] = map[string]string{"B": base64.StdEncoding.EncodeToString(value.Bytes())}
	}
	line, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	v.Want = line
	return v, len(want) > base
}
