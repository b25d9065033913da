package rebuild

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/footfall/footfall/internal/kept"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/tableid"
)

// A Job rebuilds the items of a table from its topic.
type Job struct {
	// Pipeline are the options of the pipeline that counts. Its consumer group is that of the members of the live generation.
	Pipeline pipeline.Options
	// Today counts everything under the present settings of the sites and those of Pipeline. Otherwise each record is counted under those
	// that the live generation has counted it under.
	Today bool
	// KeepBefore is the first date in UTC that is counted once more. Figures of earlier dates are kept as they are. Zero: the topic, or
	// raw events, must have all records that were counted.
	KeepBefore time.Time
	// FromRaw reads raw events in place of records that the topic has lost.
	FromRaw    bool
	WriteUnits int           // that the rebuild may take of the table a second; 0: unlimited
	Look       time.Duration // between two looks at how far the chains are; 0: a second

	// Compared is called with what differs once the new generation has come to where the live one is. It says whether to flip; an error
	// ends the job. Nil: do not flip.
	Compared func(Comparison) (flip bool, err error)
	Progress func(Progress) // called at each look; nil: not
	Log      *slog.Logger
}

// Progress is how far a rebuild has come.
type Progress struct {
	Phase   Phase
	Behind  int64 // records until the new generation is where the live one is
	Records int64 // that the topic has, or has lost if raw events serve for them, about
}

// Phase is what a rebuild does.
type Phase string

// The phases, in their order.
const (
	Counting   Phase = "counting"    // the topic once more
	Comparing  Phase = "comparing"   // both generations
	Following  Phase = "following"   // until raw events of every record are written by either
	HandingOff Phase = "handing off" // until the members have taken the new generation over
)

// Result is what came of a job.
type Result struct {
	Generation int // that was built
	Source     Source
	Comparison Comparison
	Flipped    bool
	WriteUnits float64 // that this run has taken of the table
}

// Run rebuilds the table: it begins, or continues what another run has begun. Unless Compared says to flip, the new generation is kept for
// the next run. Several processes may run the same job at once and share the partitions. Once one of them is about to flip, the others
// end with checkpoint.ErrNoRebuild.
func (j *Job) Run(ctx context.Context) (r Result, err error) {
	if err := Finish(ctx, j.Pipeline.Table); err != nil {
		return r, err
	}
	has, err := Look(ctx, j.Pipeline.Table)
	if err == nil {
		err = tableid.Check(ctx, j.Pipeline.Table, has)
	}
	if err != nil {
		return r, err
	}
	if err := j.adopt(has); err != nil {
		return r, err
	}
	live := newChains(j.Pipeline.Table, has.Keys(), j.Pipeline.Topic)
	if r.Source, err = j.inspect(ctx, live, has); err != nil {
		return r, err
	}
	if has, err = Begin(ctx, j.Pipeline.Table, Start{r.Source.keepBefore(), j.FromRaw, j.today()}); err != nil {
		return r, err
	}
	if has.FromRaw != j.FromRaw || ofToday(has) != j.Today {
		return r, ErrChanged
	}
	r.Generation = has.Building
	built := newChains(j.Pipeline.Table, has.BuildingKeys(), j.Pipeline.Topic)
	p := phases{Job: j, live: live, built: built, table: newMetered(j.Pipeline.Table, j.WriteUnits), source: r.Source}
	defer func() { r.WriteUnits = p.table.written() }()
	defer p.closeRaw()
	if err = FixZones(ctx, p.table, has); err == nil {
		err = p.readRaw(ctx)
	}
	if err != nil {
		return r, err
	}
	if r.Comparison, err = p.count(ctx, !has.Following); err == nil {
		r.Comparison.Raw, err = p.rawPart(ctx)
	}
	flip := false
	if err == nil && j.Compared != nil {
		flip, err = j.Compared(r.Comparison)
	}
	if err == nil && flip {
		err = p.flip(ctx, has)
	}
	if errors.Is(err, ErrChanged) {
		flip, err = true, j.flippedBefore(ctx, has, err)
	}
	r.Flipped = flip && err == nil
	return r, err
}

// flippedBefore returns nil if the new generation is live already: another process of the job was faster, or a late request of a killed
// one. Otherwise it returns the error.
func (j *Job) flippedBefore(ctx context.Context, has sinks.Generations, failure error) error {
	now, err := Look(ctx, j.Pipeline.Table)
	switch {
	case err != nil:
		return errors.Join(failure, err)
	case now.Live != has.Building:
		return failure
	}
	return Finish(ctx, j.Pipeline.Table)
}

// today is when a rebuild under the settings of today begins, as [Start] has it.
func (j *Job) today() int64 {
	if j.Today {
		return j.now().UnixMilli()
	}
	return 0
}

// ofToday reports whether the generation that is being built is counted under the settings of today.
func ofToday(has sinks.Generations) bool {
	return kept.DecidedBy(has, has.Building) > kept.DecidedBy(has, has.Live)
}

func (j *Job) table() sinks.Table { return retry.Policy{}.Table(j.Pipeline.Table) }

// scripts are what the chains of the rebuild follow.
func (j *Job) scripts(ctx context.Context, live *chains) (checkpoint.Scripts, error) {
	if j.Today {
		return live.purgeScripts(ctx, j.FromRaw)
	}
	return live.scripts(ctx)
}
