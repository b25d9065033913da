package rawlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// A Source says which raw events of a table are wanted.
type Source struct {
	Table sinks.Table
	Topic string
	Spans map[int32]Span // of offsets, by partition
	Since int64          // event time in ms since the epoch: earlier events are left out
	Sites *sites.Log     // as of now
}

// Collect reads all raw events that are wanted into a spool, which the caller closes. It costs the read units of all raw events since then,
// wherever their records lie.
func Collect(ctx context.Context, of Source) (s *Spool, err error) {
	if s, err = newSpool(of.Topic, of.Spans); err != nil {
		return nil, err
	}
	c := collector{Source: of, table: retry.Policy{}.Table(of.Table), spool: s}
	if err = c.all(ctx); err == nil {
		err = s.sort()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

type collector struct {
	Source
	table   sinks.Table
	spool   *Spool
	packs   pack.Decoder
	written []byte
}

// all reads the raw events of all sites that the table lists.
func (c *collector) all(ctx context.Context) error {
	for entry, err := range Entries(ctx, c.table) {
		if err != nil {
			return err
		}
		for _, q := range c.queries(entry) {
			if err := c.list(ctx, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// Entries yields the entries of the list of sites, which has sites that were deleted, too.
func Entries(ctx context.Context, table sinks.Querier) iter.Seq2[sinks.Item, error] {
	return func(yield func(sinks.Item, error) bool) {
		for nn := range sinks.SiteListShards {
			for entry, err := range sinks.Items(ctx, table, sinks.Query{PK: sinks.Keys{}.SiteList(nn), Consistent: true}) {
				if err != nil {
					err = fmt.Errorf("read the list of sites: %w", err)
				}
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

// queries are those that find the raw events of a site: items, packs, or both, as its entry in the list of sites says.
func (c *collector) queries(entry sinks.Item) (all []sinks.Query) {
	site := entry[sinks.AttrSiteID].Str()
	items, packs := entry[sinks.AttrRawItems].Kind() != sinks.None, entry[sinks.AttrRawPacks].Kind() != sinks.None
	shards := sinks.DefaultShards
	for _, c := range c.Sites.History(site) {
		shards = max(shards, slices.Max(c.Rules.ShardsIn(0, 1<<62)))
	}
	var first ulid.ULID
	if first.SetTime(uint64(max(0, c.Since))) != nil {
		panic("no event is of so late a time") // The pipeline has rejected it.
	}
	for nn := range shards {
		pk := sinks.RawShard(site, nn)
		if items || !packs {
			all = append(all, sinks.Query{PK: pk, From: sinks.EventPrefix + first.String(), To: sinks.EventPrefix + "~", Consistent: true})
		}
		if packs || !items {
			all = append(all, sinks.Query{PK: pk, From: pack.From(max(0, c.Since)), To: sinks.PackPrefix + "~", Consistent: true})
		}
	}
	return all
}

func (c *collector) list(ctx context.Context, q sinks.Query) error {
	for it, err := range sinks.Items(ctx, c.table, q) {
		if err != nil {
			return fmt.Errorf("read raw events: %w", err)
		}
		events, err := c.eventsOf(it)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := c.take(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// take keeps an event if it is wanted.
func (c *collector) take(it sinks.Item) (err error) {
	at := pack.SourceOf(it)
	span := c.Spans[int32(at.Partition)]
	if at.Topic != c.Topic || at.Offset < span.From || at.Offset >= span.To || it["timestamp"].Int() < c.Since {
		return nil
	}
	if c.written, err = appendValue(c.written[:0], it); err != nil {
		return err
	}
	return c.spool.put(int32(at.Partition), at.Offset, it["recordTime"].Int(), c.written)
}
