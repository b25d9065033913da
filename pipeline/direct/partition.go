package direct

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/duplicates"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// inbox is how a Counter talks to the goroutine of a partition.
type inbox struct {
	records  chan *handful // to be folded; nil: what was folded is to be in the table
	flushed  chan struct{} // answers nil
	handfuls *sync.Pool    // takes those that are folded
}

// partition folds the records of one partition in the order in which they were added, as the stats lane of a pipeline does.
type partition struct {
	*Options
	inbox
	keys  sinks.Keys
	tp    sinks.TP
	mark  string
	sites aggregate.Sites
	fold  *aggregate.Stats
	seen  *duplicates.Window

	decoder   *decoding.Decoder
	chunks    decoding.Pool
	admission aggregate.Admission
	loader
	step, offset int64
	chain        *checkpoint.Chain
	accepted     []*decoding.Record // room that judge uses
	taken        int                // records of the accumulating step
	repeats      int64              // of them, duplicates
	window       int64              // offset from which its window of duplicates needs the log
	newest       int64              // greatest event time, in ms since the epoch
	dated        int64              // greatest record time
	through      int64              // the same, as of the step before
	written      sessionsWritten
	outcome      Outcome
}

func newPartition(o *Options, table sinks.TableSettings, tp sinks.TP, hash sketch.Hasher) *partition {
	p := &partition{Options: o, keys: table.Keys(), tp: tp, mark: sinks.AttrMark(checkpoint.LaneStats, tp), sites: make(aggregate.Sites),
		inbox: inbox{records: make(chan *handful, 2), flushed: make(chan struct{}, 1)}, loader: loader{table: o.Table}}
	classes := classify.New()
	p.decoder = decoding.NewDecoder(slog.New(slog.DiscardHandler), hash, tp.Partition, classes)
	p.decoder.Lists, p.decoder.Rules = o.Settings.Bots.Lists, classify.RulesOf(o.Settings.Has(sinks.FormatOfClasses))
	p.admission = aggregate.Admission{Key: p.keys.NewSites(tp, checkpoint.LaneStats), Mark: p.mark, Position: sinks.AttrAdmitted(tp)}
	var windows []checkpoint.Duplicates
	if !o.Settings.Duplicates.Off() {
		windows = append(windows, o.Settings.Duplicates)
	}
	p.seen = duplicates.NewWindow(windows, 0, 0)
	p.fold = aggregate.NewStats(aggregate.Place{Keys: p.keys, TP: tp, Topic: o.Topic, Mark: p.mark, SessionShards: table.SessionShards,
		Hash: hash, Sites: p.sites, Classes: classes, Keep: keepSteps, Max: stateBytes},
		aggregate.StatsOptions{Journal: aggregate.DefaultJournal, Epoch: 1})
	p.begin()
	return p
}

const (
	// keepSteps is for how many steps a state that no record touches stays in memory, and stateBytes how much all of them take at most.
	keepSteps  = 1
	stateBytes = 512 << 10
	// stepBytes and stepItems are how large a step grows.
	stepBytes = 256 << 10
	stepItems = 1000
)

// run folds records until there are no more.
func (p *partition) run(ctx context.Context) error {
	for {
		select {
		case h, ok := <-p.records:
			if !ok {
				return p.finish(ctx)
			}
			if h == nil {
				if err := p.cut(ctx); err != nil {
					return err
				}
				p.flushed <- struct{}{}
				continue
			}
			if err := p.take(ctx, h); err != nil {
				return err
			}
			h.reset()
			p.handfuls.Put(h)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// begin begins the next step.
func (p *partition) begin() {
	p.step++
	p.fold.Begin(p.step, &p.Settings)
	p.fold.Under(sites.View{})
	p.taken, p.repeats = 0, 0
}

// take folds some records.
func (p *partition) take(ctx context.Context, h *handful) error {
	for _, r := range h.raws {
		r.Topic, r.Partition, r.Offset = p.Topic, p.tp.Partition, p.offset
		p.offset++
	}
	chunk := p.chunks.Take()
	defer p.chunks.Put(chunk)
	chunk.Raw = h.raws
	p.decoder.Decode(chunk)
	now := time.Now()
	p.fold.At(now.UnixMilli())
	accepted := p.judge(chunk.Records, h.origins)
	if err := p.meet(ctx, accepted); err != nil {
		return err
	}
	if err := p.load(ctx, accepted); err != nil {
		return err
	}
	for _, r := range accepted {
		p.fold.Add(&r.Input)
		p.newest = max(p.newest, r.Event.Timestamp)
	}
	p.taken += len(h.raws)
	p.outcome.Counted += int64(len(accepted))
	if items, bytes := p.fold.Size(); items >= stepItems || bytes >= stepBytes {
		return p.cut(ctx)
	}
	return nil
}

// judge returns the records that are accepted, and keeps what becomes of the others.
func (p *partition) judge(records []decoding.Record, origins []origin) (accepted []*decoding.Record) {
	accepted = p.accepted[:0]
	for i := range records {
		r := &records[i]
		if !p.seen.Off() {
			p.seen.Note(r.Offset, r.Time)
			if r.ID != nil {
				r.Repeats = p.seen.See(r.Event.SiteID, r.ID, r.Offset, r.Time)
			}
		}
		if p.taken == 0 && i == 0 {
			p.window = p.seen.Edge
		}
		p.dated = max(p.dated, r.Time)
		if r.Reason == event.Accepted && r.Repeats.Within > 0 && p.seen.Has(r.Repeats, p.Settings.Duplicates) {
			p.outcome.Duplicate++
			p.repeats++
			continue
		}
		if r.Reason == event.Accepted {
			if r.Reason = p.Settings.Judge(&r.Event, r.Time); r.Reason != event.Accepted {
				r.Detail = p.Settings.Detail(r.Reason, &r.Event, r.Time)
			}
		}
		if r.Reason != event.Accepted {
			p.reject(r, origins[i])
			continue
		}
		if r.Event.SessionID == nil {
			p.outcome.Sessionless++
		}
		p.outcome.span(r.Raw.Timestamp, r.Raw.Timestamp)
		accepted = append(accepted, r)
	}
	p.accepted = accepted
	return accepted
}

// reject counts a rejected record.
func (p *partition) reject(r *decoding.Record, from origin) {
	o := &p.outcome
	if o.Rejected == nil {
		o.Rejected = make(map[event.Reason]int64)
	}
	o.Rejected[r.Reason]++
	if len(o.FirstRejected) < MaxListed {
		o.FirstRejected = append(o.FirstRejected, Rejection{from.Line, from.added, r.Reason, r.Detail})
	}
}

// meet lists the sites that are met for the first time.
func (p *partition) meet(ctx context.Context, records []*decoding.Record) error {
	for _, r := range records {
		s := p.sites.Of(&r.Input)
		if s.Entry.Listed {
			continue
		}
		if err := p.list(ctx, s); err != nil {
			return fmt.Errorf("site %q: %w", s.ID, err)
		}
		s.Entry.Met, s.Entry.Listed = true, true
		p.admission.Admit(s, 0, p.step, r.Offset)
	}
	return nil
}

// list has a site in the list of sites.
func (p *partition) list(ctx context.Context, s *aggregate.Site) error {
	entry := sinks.SiteEntryItem(p.keys, s.ID)
	if p.SiteZone != "" && p.SiteZone != time.UTC.String() {
		entry[sinks.AttrZone] = sinks.Str(p.SiteZone)
	}
	r, err := p.Table.Put(ctx, sinks.Put{Item: entry, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return err
	}
	if r.Refused { // Another partition was faster.
		entry = r.Item
	}
	s.Zone, err = sites.EntryZone(entry, p.keys)
	return err
}

// load reads the states that the fold needs for the records: first what decides which states those are, then the states, and what these
// call for in turn.
func (p *partition) load(ctx context.Context, records []*decoding.Record) error {
	for _, r := range records {
		p.fold.Prepare(&r.Input, &p.loader)
	}
	if err := p.read(ctx); err != nil {
		return err
	}
	for _, r := range records {
		p.fold.Want(&r.Input, &p.loader)
	}
	for rest := true; rest; rest = p.asked() {
		if err := p.read(ctx); err != nil {
			return err
		}
		if err := p.fold.Loaded(&p.loader); err != nil {
			return err
		}
	}
	return nil
}
