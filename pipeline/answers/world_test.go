package answers_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/testpipeline"
)

// world is where a pipeline runs, with what only these tests ask of it.
type world struct{ *testpipeline.World }

// inWorld runs f in a bubble with a topic that has this number of partitions.
func inWorld(t *testing.T, partitions int32, f func(t *testing.T, w *world)) {
	testpipeline.InBubble(t, 1, partitions, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) { f(t, &world{w}) })
}

// Short names of what most tests use.
type record = testpipeline.Record

var (
	at          = testpipeline.At
	bubbleStart = testpipeline.BubbleStart
	clickAt     = testpipeline.ClickAt
	eventOf     = testpipeline.EventOf
	mustJSON    = testpipeline.MustJSON
	toJSON      = testpipeline.ToJSON
	visitTo     = testpipeline.VisitTo
)
