package rebuild

import (
	"context"
	"errors"

	"github.com/footfall/footfall/pipeline"
)

// counting runs a pipeline while work runs, then drains it. A failure of either ends both.
func counting(ctx context.Context, o pipeline.Options, work func(context.Context) error) error {
	run, err := pipeline.New(o)
	if err != nil {
		return err
	}
	running, drain := context.WithCancelCause(ctx)
	defer drain(nil)
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	failed := make(chan error, 1)
	go func() {
		err := run.Run(running)
		if err != nil {
			stop(err)
		}
		failed <- err
	}()
	err = work(working)
	drain(errDone)
	ended := <-failed
	if ended != nil && (err == nil || errors.Is(err, ended)) {
		return ended
	}
	return err
}

var errDone = errors.New("this phase of the rebuild is over")
