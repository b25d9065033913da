package rebuild

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/rawlog"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// phases are those of a job, of the chains of the live generation and of the one that is built.
type phases struct {
	*Job
	live, built *chains
	table       *metered // that the pipelines of the new generation write
	source      Source
	raw         *rawlog.Spool // records that the topic has lost; nil: none are to be counted
}

func (p *phases) every() time.Duration {
	if p.Look > 0 {
		return p.Look
	}
	return time.Second
}

func (p *phases) note(phase Phase, behind int64) {
	if p.Progress != nil {
		p.Progress(Progress{Phase: phase, Behind: behind, Records: p.source.Records + p.source.positions()})
	}
}

// during runs a pipeline of the new generation while work runs.
func (p *phases) during(ctx context.Context, rebuilt bool, work func(context.Context) error) (err error) {
	scripts, err := p.scripts(ctx, p.live)
	if err != nil {
		return err
	}
	return p.with(ctx, scripts, rebuilt, work)
}

// with is during with scripts that the lanes follow.
func (p *phases) with(ctx context.Context, scripts checkpoint.Scripts, rebuilt bool, work func(context.Context) error) error {
	o := p.Pipeline
	p.source.mark(scripts)
	if o.Rebuild.Scripts = scripts; p.raw != nil {
		o.Rebuild.Past = pastOf{p.raw, p}
	}
	o.Rebuild.Generation, o.Settings.Rebuilt = p.built.keys.Generation, rebuilt
	o.Group += fmt.Sprintf(".rebuild-%d", o.Rebuild.Generation) // Another generation has nothing to do with the offsets that this commits.
	o.InstanceID = ""                                           // It is that of a member.
	o.Table = p.table
	return counting(ctx, o, work)
}

// count counts the topic until the new generation has come to where the live one was a moment ago, and compares both.
func (p *phases) count(ctx context.Context, rebuilt bool) (c Comparison, err error) {
	err = p.during(ctx, rebuilt, func(ctx context.Context) error {
		if err := p.catchUp(ctx, Counting); err != nil {
			return err
		}
		p.note(Comparing, 0)
		c, err = p.compare(ctx)
		return err
	})
	return c, err
}

// catchUp waits until the new generation has counted what the live one had when the wait began. It repeats this until a wait is short.
func (p *phases) catchUp(ctx context.Context, phase Phase) error {
	// Cause: The brokers or the table do not answer, as another line says; or new events come faster than the rebuild may write. Remedy: Mend
	// the service; or raise the write capacity of the table or `--write-units`, or run the rebuild at a quieter time.
	d := distance{phases: p, phase: phase, warning: "the rebuild makes no progress towards the live generation: it needs brokers and a " +
		"table that answer, more write units, or fewer new events"}
	for {
		want, err := p.live.offsets(ctx)
		if err != nil {
			return fmt.Errorf("how far the live generation is: %w", err)
		}
		p.leaveOut(want)
		began := time.Now()
		if err := p.untilBuilt(ctx, &d, want); err != nil {
			return err
		}
		if time.Since(began) < 2*max(p.Pipeline.StatsInterval, time.Minute) {
			return nil
		}
	}
}

// flip continues the new generation with a pipeline that sends raw and failed events, waits until the live one has passed the positions at
// which that began, and flips. Then it keeps counting until the members have taken over.
//
// No flush after these positions may be a rebuilt one. The counting pipeline of this process has ended. But a request of a killed process
// may arrive late, and another process of the job may still count. So the chains are fenced first.
func (p *phases) flip(ctx context.Context, has sinks.Generations) error {
	if err := Follow(ctx, p.Pipeline.Table, has); err != nil {
		return err
	}
	from, err := p.built.ends(ctx) // The next pipeline repeats an open flush, still as a rebuilt one.
	if err != nil {
		return err
	}
	flipped := false
	err = p.during(ctx, false, func(ctx context.Context) error {
		if err := p.untilLive(ctx, Following, from); err != nil {
			return err
		}
		if err := p.catchUp(ctx, Following); err != nil {
			return err
		}
		if err := p.checkPurges(ctx); err != nil {
			return err
		}
		if err := Flip(ctx, p.Pipeline.Table, has); err != nil {
			return err
		}
		flipped = true
		p.Log.Info("the rebuilt generation of items is live", "generation", has.Building, "former", has.Live)
		return p.handOff(ctx)
	})
	if err != nil && flipped { // Members take over without the rebuild's help.
		// Cause: The command was interrupted or failed after the rebuilt generation had become live. Remedy: None is needed: the members take
		// over. Look at `footfall status`.
		p.Log.Warn("the rebuild did not wait until members have taken over", "error", err)
		return nil
	}
	return err
}

// handOffMost is how long a rebuild counts after the flip until members have taken the chains over: a member that is fenced looks again
// within ten seconds. There may be none, or they come later.
const handOffMost = 30 * time.Second

// handOff waits until all chains of the new generation are owned by the members' consumer group.
func (p *phases) handOff(ctx context.Context) error {
	p.note(HandingOff, 0)
	end := time.After(handOffMost)
	tick := time.NewTicker(p.every())
	defer tick.Stop()
	for {
		states, err := p.built.states(ctx)
		if err != nil {
			return err
		}
		left := 0
		for id, s := range states {
			if id.Lane == checkpoint.LaneStats && s.Head.Group != p.Pipeline.Group {
				left++
			}
		}
		if left == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-end:
			// Cause: No members run, or they have not taken over within 30 s after the rebuilt generation became live. Remedy: Start members of the
			// consumer group.
			p.Log.Warn("not all partitions were taken over by members of the consumer group: what comes next is counted once they are",
				"group", p.Pipeline.Group, "partitions", left)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
