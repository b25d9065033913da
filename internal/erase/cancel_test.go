package erase_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// throttled refuses every read.
type throttled struct{ sinks.Table }

func (throttled) BatchGet(context.Context, sinks.BatchGet) (sinks.BatchResult, error) {
	return sinks.BatchResult{}, sinks.ErrThrottled
}

func TestErasureThatIsCancelledSaysToRepeatIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		over := errors.New("over")
		time.AfterFunc(time.Hour, func() { cancel(over) })
		_, err := erase.Run(ctx, erase.Options{Table: throttled{}, Site: site, Person: sites.Visitor, ID: "v"})
		if !errors.Is(err, over) || !errors.Is(err, sinks.ErrThrottled) || !strings.Contains(err.Error(), "repeat the command") {
			t.Errorf("Run = %v, want the cause of the cancellation, the last failure, and what to do", err)
		}
	})
}
