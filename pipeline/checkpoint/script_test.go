package checkpoint_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/wire"
)

// TestScriptFromRawEvents: a flush has records of raw events or of the topic, and says which.
func TestScriptFromRawEvents(t *testing.T) {
	raw := func(s checkpoint.Span) checkpoint.Span {
		s.Settings.FromRaw = true
		return s
	}
	script := checkpoint.Script{{To: 10, Rev: 1}, {To: 20, Rev: 2, Today: true}, {To: 30, Rev: 3}}
	for _, c := range []struct {
		to   int64
		want checkpoint.Script
	}{
		{0, script},
		{5, checkpoint.Script{raw(checkpoint.Span{To: 5, Rev: 1}), script[0], script[1], script[2]}},
		{10, checkpoint.Script{raw(script[0]), script[1], script[2]}},
		{15, checkpoint.Script{raw(script[0]), raw(checkpoint.Span{To: 15, Rev: 2, Today: true}), script[1], script[2]}},
		{40, checkpoint.Script{raw(script[0]), raw(script[1]), raw(script[2])}},
	} {
		if have := script.FromRaw(c.to); !reflect.DeepEqual(have, c.want) {
			t.Errorf("up to %d: %+v, want %+v", c.to, have, c.want)
		}
	}
}

// TestScriptsKnowTheSchemas: the stats lane has the list for both. Below what a lane has begun nothing else is known, unless the list is
// gone.
func TestScriptsKnowTheSchemas(t *testing.T) {
	known := checkpoint.KnownSchemas{{ID: wire.Confluent(7), From: 100}, {ID: wire.Confluent(9), From: 160}}
	ver := checkpoint.DefaultSettings().String()
	head := func(to int64) checkpoint.ChainState {
		return checkpoint.ChainState{Head: checkpoint.Head{Step: 2, From: to - 10, To: to, Base: 100, TopicID: "a", Ver: ver}}
	}
	lost := checkpoint.ChainState{History: []checkpoint.History{{Step: 1, From: 100, Base: 100, TopicID: "a", Ver: ver}}}
	knowing := head(150)
	knowing.Head.Known = known
	unbegun := checkpoint.ChainState{Head: checkpoint.Head{Known: known.Shifted(-100)}}
	for what, c := range map[string]struct {
		stats, realtime checkpoint.ChainState
		to              int64 // of the realtime lane's script
		known           string
		decided         int64
	}{
		"the stats lane is behind": {knowing, head(200), 100, "7@0 9@60", 100},
		"it has begun no flush": {unbegun, checkpoint.ChainState{Head: checkpoint.Head{Step: 1, To: 100, TopicID: "a", Ver: ver}}, 100,
			"7@0 9@60", 100},
		"its checkpoint is gone": {lost, head(200), 100, "", 0},
		"the other one is gone":  {knowing, lost, math.MaxInt64 - 100, "7@0 9@60", 0},
	} {
		stats, realtime := checkpoint.ChainID{Lane: checkpoint.LaneStats}, checkpoint.ChainID{Lane: checkpoint.LaneRealtime}
		all, err := checkpoint.ScriptsOf(checkpoint.ChainStates{stats: c.stats, realtime: c.realtime})
		if err != nil {
			t.Fatal(err)
		}
		s := all[realtime][0]
		if s.To != c.to || s.Known.String() != c.known || s.Decided != c.decided {
			t.Errorf("%s: known are %q up to %d, and nothing else below %d; want %q, %d, %d", what, s.Known, s.To, s.Decided, c.known, c.to,
				c.decided)
		}
	}
}
