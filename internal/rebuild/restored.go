package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

// A table that was restored from a backup, or exported and imported, is a copy with items of different instants. It is not repaired, it is
// rebuilt: see copied.go for its settings until then. The pipeline of the new generation is an ordinary one, which sends raw events
// and failed events. Raw events belong to all generations and have the same keys, so those that the copy lacks come back. A failed event
// that was sent before the copy was made is sent once more, with the same key.

// Resumed is what came of a copy.
type Resumed struct {
	Generation int // that is live now
	Mended     Mended
	WriteUnits float64 // that this run has taken of the table
	Dropped    int64   // items of the copy without a time to live that were deleted
}

// A table whose checkpoint was deleted is treated as a copy: nothing says which records its items have.

// ErrNoCopy reports a table that is not a copy, and has all its checkpoints.
var ErrNoCopy = errors.New("the table is the one that its settings were written for, and has all its checkpoints: " +
	"there is nothing to resume")

// Resume makes a copy usable, or continues what another run has begun. Several processes may run it at once and share the partitions. No
// member may count into the copy until it is done, and nothing is read.
func (j *Job) Resume(ctx context.Context) (r Resumed, err error) {
	has, source, err := j.begun(ctx)
	if err != nil || !has.Restoring {
		if err == nil { // It is live. What is left of the copy is deleted.
			r.Generation = has.Live
			err = r.drop(ctx, j.Pipeline.Table)
		}
		return r, err
	}
	r.Generation = has.Building
	if err := fence(ctx, j.Pipeline.Table, has.Keys()); err != nil {
		return r, err
	}
	chainsIn := func(keys sinks.Keys) *chains { return newChains(j.Pipeline.Table, keys, j.Pipeline.Topic) }
	p := &phases{Job: j, live: chainsIn(has.Keys()), built: chainsIn(has.BuildingKeys()), table: newMetered(j.Pipeline.Table, j.WriteUnits),
		source: source}
	m := mending{table: j.table(), log: j.Log}
	defer func() { r.WriteUnits, r.Mended = p.table.written(), m.Mended }()
	copied, err := p.live.states(ctx)
	if err == nil {
		err = m.decisions(ctx)
	}
	if err == nil {
		err = m.again(ctx, copied)
	}
	if err != nil {
		return r, err
	}
	if err = p.restore(ctx, has, &m); errors.Is(err, ErrChanged) {
		err = j.flippedBefore(ctx, has, err)
	}
	if err != nil {
		return r, err
	}
	return r, r.drop(ctx, j.Pipeline.Table)
}

// begun returns the generations of a copy that is being counted again, and begins that if need be. Restoring is false if that is done, and
// the copy's items are being deleted.
func (j *Job) begun(ctx context.Context) (has sinks.Generations, source Source, err error) {
	if has, err = Look(ctx, j.Pipeline.Table); err != nil {
		return has, source, err
	}
	copied := tableid.Check(ctx, j.Pipeline.Table, has)
	if copied == nil && has.Dropping > 0 {
		return has, source, nil
	}
	if err := j.isCopy(ctx, copied, has); err != nil {
		return has, source, err
	}
	found := has.Live
	if !has.Restoring {
		if err := dropOthers(ctx, j.Pipeline.Table); err != nil {
			return has, source, err
		}
		if has, err = Look(ctx, j.Pipeline.Table); err != nil {
			return has, source, err
		}
	}
	has.Restoring = true
	live := newChains(j.Pipeline.Table, has.Keys(), j.Pipeline.Topic)
	if source, err = j.inspect(ctx, live, has); err != nil {
		return has, source, err
	}
	has, err = Take(ctx, j.Pipeline.Table, found, source.keepBefore())
	return has, source, err
}

// isCopy returns an error unless the error says that the table is a copy, or a checkpoint was deleted.
func (j *Job) isCopy(ctx context.Context, copied error, has sinks.Generations) error {
	if copied != nil && !tableid.Copied(copied) {
		return copied
	}
	states, err := newChains(j.Pipeline.Table, has.Keys(), j.Pipeline.Topic).states(ctx)
	if err != nil || copied != nil || len(lostOf(states)) > 0 {
		return err
	}
	return ErrNoCopy
}

// lostOf returns the chains whose checkpoints were deleted.
func lostOf(states checkpoint.ChainStates) (lost []checkpoint.ChainID) {
	for id, s := range states {
		if s.Lost() {
			lost = append(lost, id)
		}
	}
	return lost
}

// drop deletes what the copy would keep for ever.
func (r *Resumed) drop(ctx context.Context, table sinks.Table) error {
	has, err := Look(ctx, table)
	if err != nil || has.Dropping == 0 {
		return err
	}
	d, err := Drop(ctx, table)
	r.Dropped = d.Items
	return err
}

// restore counts the topic to its end, and makes that live.
func (p *phases) restore(ctx context.Context, has sinks.Generations, m *mending) error {
	scripts, err := p.live.scripts(ctx)
	if err == nil {
		err = FixZones(ctx, p.table, has)
	}
	if err != nil {
		return err
	}
	for id := range scripts {
		if scripts[id] = scripts[id].UpToRevision(m.rules.Rev()); id.Lane != checkpoint.LaneStats { // The list may be of an earlier instant.
			scripts[id] = scripts[id].Undecided()
		}
	}
	if err := p.withoutLost(ctx, scripts); err != nil {
		return err
	}
	flipped := false
	err = p.with(ctx, scripts, false, func(ctx context.Context) error {
		if err := p.toEnd(ctx); err != nil {
			return err
		}
		if err := m.published(ctx, query.NewOf(p.Job.table(), has.BuildingKeys(), time.Now)); err != nil {
			return err
		}
		if err := flipCopy(ctx, p.Pipeline.Table, has); err != nil {
			return err
		}
		flipped = true // Members are not running, and start once this is done.
		p.Log.Info("the copy is counted again, and live", "generation", has.Building)
		return nil
	})
	if err != nil && flipped {
		// Cause: The command was interrupted or failed after the copy had become live. Remedy: None is needed: start the members, and look at
		// `footfall status`.
		p.Log.Warn("counting did not end in order after the copy was live: members continue from its checkpoints", "error", err)
		return nil
	}
	return err
}

// toEnd waits until the new generation has counted what the topic had when the wait began. It repeats this until a wait is short.
func (p *phases) toEnd(ctx context.Context) error {
	// Cause: New events come faster than they are counted into the copy. Remedy: Raise the write capacity of the table or `--write-units`, or
	// publish fewer events until it is done.
	d := distance{phases: p, phase: Counting, warning: "no progress towards the end of the topic: more write units are needed, or " +
		"fewer events"}
	for {
		want, err := p.topicEnds(ctx)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := p.built.reach(ctx, want, p.every(), func(at Offsets) error {
			d.look(at.behind(want))
			return nil
		}); err != nil {
			return err
		}
		if time.Since(began) < 2*max(p.Pipeline.StatsInterval, time.Minute) {
			return nil
		}
	}
}

// dropOthers deletes the generations of a copy beside its live one.
func dropOthers(ctx context.Context, table sinks.Table) error {
	for {
		has, err := Look(ctx, table)
		if err != nil || has.Building+has.Former+has.Dropping == 0 {
			return err
		}
		if _, err := Drop(ctx, table); err != nil {
			return fmt.Errorf("drop the copy's other generations: %w", err)
		}
	}
}
