package pipeline_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/testpipeline"
)

// world is where a pipeline runs, with what only these tests do in it.
type world struct{ *testpipeline.World }

// inWorld runs f in a bubble with a topic that has this number of partitions.
func inWorld(t *testing.T, partitions int32, f func(t *testing.T, w *world)) {
	inWorldOf(t, 1, partitions, f)
}

func inWorldOf(t *testing.T, brokers int, partitions int32, f func(t *testing.T, w *world)) {
	inNetworkOf(t, brokers, partitions, func(t *testing.T, w *world, _ *kfake.VirtualNetwork) { f(t, w) })
}

// inNetwork is inWorld for tests that reach the broker in a way of their own.
func inNetwork(t *testing.T, partitions int32, f func(t *testing.T, w *world, net *kfake.VirtualNetwork)) {
	inNetworkOf(t, 1, partitions, f)
}

func inNetworkOf(t *testing.T, brokers int, partitions int32, f func(t *testing.T, w *world, net *kfake.VirtualNetwork)) {
	testpipeline.InBubble(t, brokers, partitions, func(t *testing.T, w *testpipeline.World, net *kfake.VirtualNetwork) {
		f(t, &world{w}, net)
	})
}

// Short names of what most tests use.
type (
	record      = testpipeline.Record
	process     = testpipeline.Process
	killOnStats = testpipeline.KillOnStats
)

const testTopic = testpipeline.TestTopic

var (
	at          = testpipeline.At
	bubbleStart = testpipeline.BubbleStart
	clickAt     = testpipeline.ClickAt
	errKilled   = testpipeline.ErrKilled
	eventOf     = testpipeline.EventOf
	header      = testpipeline.Header
	inZone      = testpipeline.InZone
	mustJSON    = testpipeline.MustJSON
	shownOf     = testpipeline.ShownOf
	traffic     = testpipeline.Traffic
	visitTo     = testpipeline.VisitTo
	within      = testpipeline.Within
)
