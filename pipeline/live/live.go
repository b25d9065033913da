// Package live runs the pipeline of whichever generation of a table's items is live.
package live

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
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

// Run is [pipeline.Pipeline.Run] of one pipeline after the other. It may be called once.
func (l *Pipeline) Run(ctx context.Context) error {
	for {
		err := l.current.Load().Run(ctx)
		former, ok := errors.AsType[*sinks.GenerationError](err)
		if !ok || errors.Is(err, pipeline.ErrLingers) || ctx.Err() != nil {
			return err
		}
		l.options.Log.Info("a rebuild has made another generation of items live: continuing with it", "generation", former.Live)
		p, err := pipeline.New(l.options)
		if err != nil {
			return err
		}
		l.current.Store(p)
	}
}
