package query_test

import (
	"context"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// A packing puts raw events of a world into packs of several flushes, some of them into two packs, and leaves some as items.
type packing struct {
	sinks.Table
	t     testing.TB
	share int // of ten events, how many are packed
	dice  *rand.Rand

	mu     sync.Mutex // Shards are queried at once.
	steps  map[packedIn]*pack.Builder
	number int64 // of the flush to come
	packs  int
}

// packedIn is which flush has an event.
type packedIn struct {
	topic     string
	partition int32
	step      int
}

func packedWorld(t testing.TB, share int) *world {
	p := &packing{Table: testworld.Table(t), t: t, share: share, dice: rand.New(rand.NewPCG(1, uint64(share)))}
	w := worldOn(t, p, sinks.Keys{})
	w.packing = p
	return w
}

// take packs an event, or not. It reports whether the event is to be an item, and whether it is in a pack.
func (p *packing) take(site string, shard int, id ulid.ULID, ttl time.Time, it sinks.Item) (item, packed bool) {
	if p == nil || p.dice.IntN(10) >= p.share {
		return true, false
	}
	if !ttl.IsZero() && ttl.Before(now) { // A pack keeps all events of a site for as many days.
		return true, false
	}
	source := strings.Split(it["source"].Str(), "/")
	partition, _ := strconv.Atoi(source[1])
	offset, _ := strconv.ParseInt(source[2], 10, 64)
	e := &pack.Event{ID: id, RecordTime: it["recordTime"].Int(), Offset: offset, Foreign: it[sinks.AttrForeign].Int() == 1,
		Excluded: it[sinks.AttrExcluded].Int() == 1}
	for i, name := range pack.Names {
		if it[name].Kind() != sinks.None {
			e.Texts[i] = []byte(it[name].Str())
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.steps == nil {
		p.steps = make(map[packedIn]*pack.Builder)
	}
	for range 1 + p.dice.IntN(2) { // Copies are one event to readers.
		in := packedIn{source[0], int32(partition), p.dice.IntN(3)}
		if p.steps[in] == nil {
			p.steps[in] = new(pack.Builder)
		}
		p.steps[in].Add(site, shard, -1, e)
	}
	return p.share < 10 && p.dice.IntN(5) == 0, true
}

// Query writes the packs that there are before it reads.
func (p *packing) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for in, b := range p.steps {
		p.number++
		at := pack.Place{Topic: in.topic, TP: sinks.TP{Topic: 1, Partition: in.partition}, Step: p.number}
		for it := range b.Items(at) {
			if _, err := p.Put(ctx, sinks.Put{Item: it}); err != nil {
				p.t.Error(err)
			}
			p.packs++
		}
	}
	p.steps = nil
	return p.Table.Query(ctx, q)
}

// askedRaw counts the queries of each kind of raw events.
type askedRaw struct {
	sinks.Table
	items, packs atomic.Int64
}

func (a *askedRaw) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	switch {
	case strings.HasPrefix(q.From, sinks.EventPrefix):
		a.items.Add(1)
	case strings.HasPrefix(q.From, sinks.PackPrefix):
		a.packs.Add(1)
	}
	return a.Table.Query(ctx, q)
}

// TestRawEventsAreSoughtWhereTheyMayBe: only kinds of raw events that the site's entry mentions are asked for; both if it mentions none.
func TestRawEventsAreSoughtWhereTheyMayBe(t *testing.T) {
	for _, c := range []struct{ items, packs, askItems, askPacks bool }{{true, false, true, false}, {false, true, false, true},
		{true, true, true, true}, {false, false, true, true}} {
		table := &askedRaw{Table: testworld.Table(t)}
		w := worldOn(t, table, sinks.Keys{})
		w.site(shop, 16)
		w.mark(shop, c.items, c.packs)
		if _, err := w.Events(t.Context(), query.EventsParams{Site: shop, From: at(9), To: at(10)}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.ExportEvents(t.Context(), query.ExportEventsParams{Site: shop, From: at(9), To: at(10)}, io.Discard); err != nil {
			t.Fatal(err)
		}
		items, packs := table.items.Load(), table.packs.Load()
		if want := (map[bool]int64{true: 2 * sinks.DefaultShards}); items != want[c.askItems] || packs != want[c.askPacks] {
			t.Errorf("marks %v, %v: %d queries for items and %d for packs, want %d and %d", c.items, c.packs, items, packs,
				want[c.askItems], want[c.askPacks])
		}
	}
}

// TestFirstPackDuringAnExport: an export whose counts have the events of a site's first pack has that pack.
func TestFirstPackDuringAnExport(t *testing.T) {
	table := &between{Table: testworld.Table(t)}
	w := worldOn(t, table, sinks.Keys{})
	w.topic("events", 1)
	w.site(shop, 16)
	w.mark(shop, true, false)
	table.then = func() {
		b := new(pack.Builder)
		e := &pack.Event{}
		_ = e.ID.SetTime(uint64(at(9).UnixMilli()))
		e.Texts[0] = []byte("page_view")
		b.Add(shop, 3, -1, e)
		w.mark(shop, false, true)
		for it := range b.Items(pack.Place{Topic: "events", TP: tp0, Step: 1}) {
			if _, err := w.table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Error(err)
			}
		}
		w.hour(shop, at(9), future, 1, 1, 0, nil)
	}
	x, err := w.ExportEvents(t.Context(), query.ExportEventsParams{Site: shop, From: at(9), To: at(10)}, io.Discard)
	if err != nil || x.Events != 1 || x.Missing != 0 {
		t.Errorf("%d events, %d missing, %v; want 1 and 0", x.Events, x.Missing, err)
	}
}

// between does something before the first query of an hour's stats.
type between struct {
	sinks.Table
	then func()
}

func (b *between) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if then := b.then; then != nil && strings.HasPrefix(q.From, "STATS#hour#") {
		b.then = nil
		then()
	}
	return b.Table.Query(ctx, q)
}
