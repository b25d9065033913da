// Package live runs the pipeline of whichever generation of a table's items is live.
package live

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Pipeline is one [pipeline.Pipeline] after the other: where one ends because a rebuild has made another generation live, the next
// continues that generation. All have the same options.
type Pipeline struct {
	options pipeline.Options
	current atomic.Pointer[pipeline.Pipeline]
}

// New checks the options, of which Log is required. It does no I/O.
func New(o pipeline.Options) (*Pipeline, error) {
	p, err := pipeline.New(o)
	if err != nil {
		return nil, err
	}
	l := &Pipeline{options: o}
	l.current.Store(p)
	return l, nil
}

// Ready is that of the present pipeline.
func (l *Pipeline) Ready() error { return l.current.Load().Ready() }

// Seals is that of the present pipeline.
func (l *Pipeline) Seals() bool { return l.current.Load().Seals() }

// look is how often the table's settings are read. The fence stops an owner that writes, but not an idle one.
const look = 5 * time.Second

// errFormer is why a pipeline is drained whose generation is not live any more.
var errFormer = errors.New("a rebuild has made another generation of items live")

// Run is [pipeline.Pipeline.Run] of one pipeline after the other. It may be called once.
func (l *Pipeline) Run(ctx context.Context) error {
	table := retry.Policy{}.Reads(l.options.Table)
	for {
		o := l.options
		_, has, unread := sinks.CheckFormat(ctx, table)
		if unread == nil {
			o.Rebuild.Generation = has.Live
		}
		p, err := pipeline.New(o)
		if err != nil {
			return err
		}
		l.current.Store(p)
		if unread != nil {
			return p.Run(ctx) // It meets the same error, and says what to do.
		}
		running, drain := context.WithCancelCause(ctx)
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			watch(running, table, has.Live, drain)
		}()
		err = p.Run(running)
		flipped := errors.Is(context.Cause(running), errFormer)
		drain(nil)
		<-watched
		_, former := errors.AsType[*sinks.GenerationError](err)
		if !former && !flipped || errors.Is(err, pipeline.ErrLingers) || ctx.Err() != nil {
			return err
		}
		l.options.Log.Info("continuing with the live generation of items", "former", has.Live)
	}
}

// watch drains a pipeline once its generation is not the live one. Writes of that drain are refused by the fence, or reach keys that no
// reader asks for.
func watch(ctx context.Context, table sinks.Table, generation int, drain context.CancelCauseFunc) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if _, has, err := sinks.CheckFormat(ctx, table); err == nil && has.Live != generation { // Errors are the pipeline's to meet.
			drain(errFormer)
			return
		}
	}
}
