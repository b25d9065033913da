package lanes

import (
	"errors"
	"fmt"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Map fixes by which mappings the records of a partition are made events: as its lanes have recorded of the topic with this id, and from
// where none has begun a step as configured. The steps that begin from now on record it. start is the log's. A mapping after raw events
// that are items is an error: items may be there of records that no step has begun with, and those would be other events.
func Map(all []*Lane, topicID string, start int64, configured string) (checkpoint.Maps, error) {
	var own, scripts []checkpoint.Mapped
	for _, l := range all {
		scripts = append(scripts, l.terms.script.Mapped())
		if head := l.Chain.Head; head.Step > 0 && head.TopicID == topicID {
			own = append(own, checkpoint.Mapped{Maps: checkpoint.RecordedMaps(head.Ver), To: head.To - head.Base})
			if s, err := checkpoint.ParseValues(head.Ver); err == nil && configured != "" && s.RawEvents && !s.RawPacked {
				return nil, errors.New("event.* maps records, and the last flush has kept raw events as items (rawEvents: items), of which some may " +
					"be ahead of it: run with rawEvents: packed and without event.* until each partition has flushed, then with event.*")
			}
		}
	}
	maps := checkpoint.NextMaps(own, scripts, start, configured)
	if n := maps.Size(); n > maxMapsBytes {
		return nil, fmt.Errorf("the records that the topic still has are of %d mappings with %d bytes, and each flush names them, %d bytes at "+
			"most: put event.* back as it was, until the topic has deleted older records", len(maps), n, maxMapsBytes)
	}
	for _, l := range all {
		if l.terms.maps = maps; !l.Redo && len(maps) > 0 {
			l.Begin(l.Step)
			l.Fold.Under(l.Rules)
		}
	}
	return maps, nil
}

// Schemas returns the schemas that are known in a partition, and the position below which no other one is: some lane has begun a flush of
// the topic with this id there, or repeats one. Positions are those of the stats lane.
func Schemas(all []*Lane, stats *Lane, topicID string) (known checkpoint.KnownSchemas, decided int64) {
	var begun int64 // an offset, as decided until the end
	var recorded checkpoint.KnownSchemas
	for _, l := range all {
		if script := l.terms.script; len(script) > 0 {
			recorded, decided = script[0].Known, max(decided, script[0].Decided)
		}
		if head := l.Chain.Head; head.Step > 0 && head.TopicID == topicID {
			begun = max(begun, head.To-head.Base)
		}
	}
	// A script may be longer than it was when flushes began after its end.
	known = stats.Chain.Head.Known.With(recorded.RaisedTo(begun).Shifted(stats.Base)...)
	return known, max(begun, decided) + stats.Base
}

// maxMapsBytes bounds the mappings of a partition in its checkpoints.
const maxMapsBytes = 64 << 10
