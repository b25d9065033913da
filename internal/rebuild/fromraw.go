package rebuild

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/rawlog"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Raw events serve for what the topic has lost: positions below the beginning of the log that the live generation has counted. Each run
// reads them into a temporary file in which they are sorted by position, and the pipeline reads that before the log. A flush has records of
// one of the two only, and says so (checkpoint.Settings.FromRaw). So a flush that was open at a kill is repeated from what it was made of,
// also if the topic has lost more by then. See rawdates.go for the dates from which raw events are complete.

// adopt takes over whether the rebuild under way reads raw events.
func (j *Job) adopt(has sinks.Generations) error {
	if has.Building > 0 && j.FromRaw && !has.FromRaw {
		return errors.New("--from raw: the rebuild under way counts what the topic has: leave --from out, or run footfall rebuild drop first")
	}
	if has.Building > 0 && j.Today && !ofToday(has) {
		return errors.New("--settings today: the rebuild under way counts under the settings of then: leave --settings out, or run footfall " +
			"rebuild drop first")
	}
	j.FromRaw = j.FromRaw || has.FromRaw
	j.Today = j.Today || has.Building > 0 && ofToday(has)
	return nil
}

// mark has flushes end where the topic begins, and marks those that are made of raw events.
func (s Source) mark(scripts checkpoint.Scripts) {
	for id, script := range scripts {
		if span, ok := s.lost[id.Partition]; ok {
			scripts[id] = script.FromRaw(span.To)
		}
	}
}

// positions is how many positions the topic has lost.
func (s Source) positions() (n int64) {
	for _, span := range s.lost {
		n += span.To - span.From
	}
	return n
}

// readRaw reads the raw events that are still to be counted, or that repetitions are detected by.
func (p *phases) readRaw(ctx context.Context) error {
	if len(p.source.lost) == 0 {
		return nil
	}
	built, err := p.built.states(ctx)
	if err != nil {
		return err
	}
	if err := p.source.repeatable(built); err != nil {
		return err
	}
	if p.passed(built) {
		return nil
	}
	if from := p.source.raw.from; from.After(p.source.KeepBefore) {
		return fmt.Errorf("raw events that the rebuild has begun with are no longer complete: %s, and there are all of %s and later: run "+
			"footfall rebuild drop, then footfall rebuild --from raw --keep-before %[2]s", p.source.raw.why, from.Format(time.DateOnly))
	}
	of, err := p.rawSource(ctx, p.source)
	if err != nil {
		return err
	}
	of.Table = p.table
	p.Log.Info("reading raw events of what the topic has lost", "positions", p.source.positions())
	p.raw, err = rawlog.Collect(ctx, of)
	return err
}

// pastOf is the past of a pipeline: raw events, which an owner begins to read once it has taken its chains over.
type pastOf struct {
	*rawlog.Spool
	*phases
}

// Records yields the records of a partition. It is an error if a flush is open that was made of raw events, and some of them are gone: this
// process, or another one that has begun the flush, has read them before. By its totals, the chain has had as many as there are below the
// end of the flush.
func (c pastOf) Records(ctx context.Context, partition int32, from int64) iter.Seq2[*kgo.Record, error] {
	if err := c.unchanged(ctx, partition); err != nil {
		return func(yield func(*kgo.Record, error) bool) { yield(nil, err) }
	}
	return c.Spool.Records(ctx, partition, from)
}

func (c pastOf) unchanged(ctx context.Context, partition int32) error {
	built, err := c.built.states(ctx)
	if err != nil {
		return err
	}
	head := built[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}].Head
	end := head.To - head.Base
	if head.Step == 0 || head.Done || end > c.source.lost[partition].To {
		return nil
	}
	have, err := c.raw.Below(ctx, partition, end)
	if had := head.Totals.Records(); err == nil && have != had {
		err = fmt.Errorf("a flush was cut short, and of %d raw events that were counted up to its end there are %d: the others were erased, or "+
			"have expired; run footfall rebuild drop, then footfall rebuild again", had, have)
	}
	return err
}

// rawSource says which raw events are read.
func (j *Job) rawSource(ctx context.Context, source Source) (rawlog.Source, error) {
	log, err := sites.ReadLog(ctx, j.table(), sinks.Keys{}, nil)
	of := rawlog.Source{Table: j.Pipeline.Table, Topic: j.Pipeline.Topic, Spans: source.lost, Sites: log}
	if !source.KeepBefore.IsZero() {
		of.Since = source.KeepBefore.Add(-leeway).UnixMilli()
	}
	return of, err
}

// RawPart says what came of positions that the topic has lost. Each is one of the five. All but Read are by what the live generation's
// checkpoints have more than those of the new one: they are a little off while records come, or if settings have changed.
type RawPart struct {
	Read      int64 `json:"read"`      // from raw events
	Counted   int64 `json:"counted"`   // that have no raw event: erased, purged, of before the first date, or sent more than once
	Duplicate int64 `json:"duplicate"` // that have none because they repeat an event
	Rejected  int64 `json:"rejected"`  // that have none because they were rejected
	Other     int64 `json:"other"`     // that have none in either generation, such as markers of transactions
}

// rawPart compares what the two generations have counted of partitions that have lost records. nil: no raw events were read.
func (p *phases) rawPart(ctx context.Context) (*RawPart, error) {
	if p.raw == nil {
		return nil, nil
	}
	live, err := p.live.states(ctx)
	if err != nil {
		return nil, err
	}
	built, err := p.built.states(ctx)
	if err != nil {
		return nil, err
	}
	var part RawPart
	for n, span := range p.source.lost {
		id := checkpoint.ChainID{Partition: n, Lane: checkpoint.LaneStats}
		a, b := live[id].Head, built[id].Head
		read := p.raw.Events[n]
		rest := span.To - span.From - read
		part.Read += read
		take := func(into *int64, n int64) {
			n = min(rest, max(0, n))
			*into, rest = *into+n, rest-n
		}
		behind := a.To - a.Base - max(b.To-b.Base, span.To)
		take(&part.Duplicate, a.Totals.Duplicate-b.Totals.Duplicate)
		take(&part.Rejected, rejected(a.Totals)-rejected(b.Totals))
		take(&part.Counted, a.Totals.Counted-b.Totals.Counted-behind)
		part.Other += rest
	}
	return &part, nil
}

func rejected(t checkpoint.Totals) int64 { return t.Records() - t.Counted - t.Duplicate }

func (p *phases) closeRaw() {
	if p.raw == nil {
		return
	}
	if err := p.raw.Close(); err != nil {
		// Cause: The disk of the folder for temporary files refused it. Remedy: None is needed for the figures. Look at the disk.
		p.Log.Warn("the temporary file of raw events is not closed", "error", err)
	}
}

// passed reports whether the new generation needs no raw event any more.
func (p *phases) passed(built checkpoint.ChainStates) bool {
	for n, span := range p.source.lost {
		for _, lane := range checkpoint.Lanes {
			head := built[checkpoint.ChainID{Partition: n, Lane: lane}].Head
			reach := max(p.Pipeline.Settings.Duplicates.Positions, checkpoint.RecordedDuplicates(head.Ver).Positions)
			if head.Step == 0 || head.Position()-head.Base < span.To+reach {
				return false
			}
		}
	}
	return true
}

// repeatable returns an error if a flush is open whose records the topic has lost since it was begun.
func (s Source) repeatable(built checkpoint.ChainStates) error {
	for id, chain := range built {
		head := chain.Head
		if head.Step == 0 || head.Done || head.From-head.Base >= s.lost[id.Partition].To {
			continue
		}
		settings, err := checkpoint.ParseValues(head.Ver)
		if err != nil {
			return err
		}
		if !settings.FromRaw {
			return fmt.Errorf("partition %d: the topic has lost records of a flush that the rebuild had begun: run footfall rebuild drop, then "+
				"footfall rebuild again", id.Partition)
		}
	}
	return nil
}

// leaveOut removes chains from what is waited for that have nothing to count: neither raw events nor the topic have a record.
func (p *phases) leaveOut(want Offsets) {
	for id, offset := range want {
		if span, ok := p.source.lost[id.Partition]; ok && offset <= span.To && p.raw != nil && p.raw.Events[id.Partition] == 0 {
			delete(want, id)
		}
	}
}
