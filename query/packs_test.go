package query_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// A packing puts raw events of a world into packs of several flushes, some of them into two packs, and leaves some as items.
type packing struct {
	sinks.Table
	t      testing.TB
	share  int // of ten events, how many are packed
	dice   *rand.Rand
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

// take packs an event; false: it is to be an item.
func (p *packing) take(site string, shard int, id ulid.ULID, ttl time.Time, it sinks.Item) bool {
	if p == nil || p.dice.IntN(10) >= p.share {
		return false
	}
	if !ttl.IsZero() && ttl.Before(now) { // A pack keeps all events of a site for as many days.
		return false
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
	return p.dice.IntN(5) > 0 // Or it is an item as well.
}

// Query writes the packs that there are before it reads.
func (p *packing) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
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
