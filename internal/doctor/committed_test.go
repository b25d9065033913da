package doctor

import (
	"maps"
	"slices"
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// TestLaneThatHasNotFlushed: soon after a start one lane has flushed and the other has not, and nothing can be said of the group's offset.
func TestLaneThatHasNotFlushed(t *testing.T) {
	const none = "00000000000000000000000000000000" // the id of exam's topic
	views := []checkpoint.ChainView{
		{Partition: 0, Lane: checkpoint.LaneStats},
		{Partition: 0, Lane: checkpoint.LaneRealtime, Step: 3, From: 10, To: 20, TopicID: none},
		{Partition: 1, Lane: checkpoint.LaneStats, Step: 1, From: 5, To: 15, TopicID: none},
		{Partition: 1, Lane: checkpoint.LaneRealtime, Step: 3, From: 10, To: 20, TopicID: none},
	}
	if got := (chains{&exam{}}).flushed(views); !slices.Equal(slices.Collect(maps.Keys(got)), []int32{1}) || got[1] != (flush{5, 15}) {
		t.Errorf("flushed: %v, want partition 1 alone, [5,15)", got)
	}
}
