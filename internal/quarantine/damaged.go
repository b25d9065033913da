package quarantine

import (
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

func readHourSketch(b []byte) error { return sketch.NewHour().UnmarshalBinary(b) }

// readersOf returns, for the attributes of an entity's items that hold bytes, how they are read and replaced. It returns
// ErrIrreplaceable if items of the entity cannot be replaced.
func readersOf(entity string) (map[string]stored, error) {
	breakdown := stored{func(b []byte) error { return sketch.UnpackBreakdown(b, new(sketch.Breakdown)) },
		damage.EmptyBreakdown(checkpoint.DefaultSettings().Breakdowns)}
	switch entity {
	case sinks.EntityBreakdown, sinks.EntitySealedBreakdown:
		return map[string]stored{sinks.AttrPart: breakdown}, nil
	case sinks.EntityUniques, sinks.EntitySealedUniques:
		return map[string]stored{sinks.AttrPart: {readHourSketch, damage.EmptyHour}}, nil
	case sinks.EntityRealtime:
		return map[string]stored{
				sinks.AttrVisitors: {func(b []byte) error { return sketch.NewMinute().UnmarshalBinary(b) }, damage.EmptyMinute},
				sinks.AttrPages:    {func(b []byte) error { return sketch.NewTop(damage.RealtimePages).UnmarshalBinary(b) }, damage.EmptyPages}},
			nil
	case sinks.EntitySession:
		return map[string]stored{sinks.AttrCur: {func(b []byte) error { _, err := state.DecodeSession(b, &state.Session{}); return err },
			sinks.Bytes((&state.Session{}).AppendBinary(nil, &state.Session{}))}}, nil
	case sinks.EntityVisitor:
		read := stored{func(b []byte) error { _, err := state.DecodeVisitor(b); return err }, sinks.Bytes((&state.Visitor{}).AppendBinary(nil))}
		return map[string]stored{sinks.AttrCur: read, sinks.AttrPrev: read}, nil
	case sinks.EntityPack:
		return map[string]stored{sinks.AttrPart: {pack.Check, sinks.Value{}}}, nil
	case sinks.EntityVisitorSessions, sinks.EntityNewSessions:
		read := func(b []byte) error { _, err := state.DecodeListed(b, 0, sinks.TP{}); return err }
		return map[string]stored{sinks.AttrListed: {read, sinks.Value{}}}, nil
	case sinks.EntityLate:
		return map[string]stored{sinks.AttrPart: {journal.Check, sinks.Value{}}}, nil
	case sinks.EntityTable, sinks.EntityTopic, sinks.EntityHistory, sinks.EntityLost, sinks.EntityDamaged, sinks.EntityReplay,
		sinks.EntityRules, sinks.EntitySchema, sinks.EntityErasure, sinks.EntityPurge:
		return nil, ErrIrreplaceable
	}
	return nil, nil
}

// stored is an attribute that holds bytes: the function that reads them, and the value that replaces them.
type stored struct {
	read  func([]byte) error
	empty sinks.Value
}
