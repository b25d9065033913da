package pack

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/sinks"
)

const dayMs = 24 * 60 * 60 * 1000

// A Builder collects the raw events of a flush. Not safe for concurrent use.
type Builder struct {
	groups map[place]*group
	held   int
}

// place is where events may share a pack: in a shard of a site, on a day of event time in UTC.
type place struct {
	site  string
	shard int
	day   int64
}

type group struct {
	days    int64
	page    []byte // the one that is being filled; entries keep the others
	size    int    // bytes of all pages
	entries []entry
}

// entry is an event of a group. Its bytes lie in a page.
type entry struct {
	id     ulid.ULID
	offset int64
	bytes  []byte
}

// What an entry, and a group, take in memory beside their bytes.
const (
	entryRoom = 96 // and as much again as the slice grows
	groupRoom = 512
)

// maxPage is the largest page that events share, in bytes. A page is a quarter of those before it, up to maxPage, and never copied.
const maxPage = 64 << 10

// Add adds an event of a site, which it copies. days is how long the site keeps raw events; -1: for ever. It must be the same for all
// events of a site.
func (b *Builder) Add(site string, shard int, days int64, e *Event) {
	at := place{site, shard, int64(e.ID.Time()) / dayMs}
	g := b.groups[at]
	if g == nil {
		if b.groups == nil {
			b.groups = make(map[place]*group)
		}
		at.site = strings.Clone(site)
		g = &group{days: days}
		b.groups[at] = g
		b.held += groupRoom + len(site)
	}
	if room := e.size(); cap(g.page)-len(g.page) < room {
		g.page = make([]byte, 0, max(room, min(g.size/4, maxPage)))
		g.size += cap(g.page)
		b.held += cap(g.page)
	}
	n := len(g.page)
	g.page = e.Append(g.page)
	g.entries = append(g.entries, entry{e.ID, e.Offset, g.page[n:len(g.page):len(g.page)]})
	b.held += entryRoom
}

// Held is what the builder takes in memory, in bytes.
func (b *Builder) Held() int { return b.held }

// Len is how many packs the builder makes at least.
func (b *Builder) Len() int { return len(b.groups) }

// A Place names the flush whose packs are made, and where they lie.
type Place struct {
	Keys  sinks.Keys
	Topic string
	TP    sinks.TP
	Step  int64
}

// Items yields the items of the packs in order, each with the instant at which it expires, in seconds; 0: never.
func (b *Builder) Items(in Place) iter.Seq2[sinks.Item, int64] {
	return func(yield func(sinks.Item, int64) bool) {
		if len(b.groups) == 0 {
			return
		}
		c := newEncoder()
		places := slices.SortedFunc(maps.Keys(b.groups), func(a, b place) int {
			return cmp.Or(strings.Compare(a.site, b.site), cmp.Compare(a.shard, b.shard), cmp.Compare(a.day, b.day))
		})
		for _, at := range places {
			g := b.groups[at]
			g.sort()
			for i, part := range g.split() {
				p := Pack{Key: in.Keys.Pack(at.site, at.shard, part[0].id.String(), in.TP, in.Step, i), Site: at.site, Topic: in.Topic,
					TP: in.TP, Days: g.days}
				last := int64(part[len(part)-1].id.Time())
				expiry := int64(0)
				if g.days >= 0 {
					expiry = expires(last, g.days)
				}
				if !yield(p.seal(c, part), expiry) {
					return
				}
			}
		}
	}
}

func (g *group) sort() {
	slices.SortFunc(g.entries, func(a, b entry) int {
		return cmp.Or(bytes.Compare(a.id[:], b.id[:]), cmp.Compare(a.offset, b.offset))
	})
}

// split divides the sorted events into packs: the next begins where one would pass MaxBytes or Reach.
func (g *group) split() (parts [][]entry) {
	first, size := 0, 0
	for i, e := range g.entries {
		if i > first && (size+len(e.bytes) > MaxBytes || e.id.Time()-g.entries[first].id.Time() >= Reach) {
			parts, first, size = append(parts, g.entries[first:i]), i, 0
		}
		size += len(e.bytes)
	}
	return append(parts, g.entries[first:])
}

// seal makes the item of a pack of events.
func (p *Pack) seal(c *zstd.Encoder, part []entry) sinks.Item {
	events := make([][]byte, len(part))
	var index []uint32
	for i, at := range part {
		events[i] = at.bytes
		e, _, err := readEvent(events[i])
		if err != nil {
			panic(err) // Add has written it.
		}
		index = e.appendIndex(index)
	}
	return p.itemOf(c, p.body(events), index, len(part), int64(part[len(part)-1].id.Time()))
}

// body returns the bytes of a pack before compression.
func (p *Pack) body(events [][]byte) []byte {
	size := 3*binary.MaxVarintLen64 + len(p.Topic)
	for _, e := range events {
		size += len(e)
	}
	b := binary.AppendUvarint(make([]byte, 0, size), uint64(len(p.Topic)))
	b = append(b, p.Topic...)
	b = binary.AppendVarint(b, p.Days)
	b = binary.AppendUvarint(b, uint64(len(events)))
	for _, e := range events {
		b = append(b, e...)
	}
	return b
}
