package lanes

import "github.com/footfall/footfall/pipeline/checkpoint"

// Map fixes by which mappings the records of a partition are made events: as its lanes have recorded of the topic with this id, and from
// where none has begun a step as configured. The steps that begin from now on record it. start is the log's.
func Map(all []*Lane, topicID string, start int64, configured string) checkpoint.Maps {
	var own, scripts []checkpoint.Mapped
	for _, l := range all {
		scripts = append(scripts, l.terms.script.Mapped())
		if head := l.Chain.Head; head.Step > 0 && head.TopicID == topicID {
			own = append(own, checkpoint.Mapped{Maps: checkpoint.RecordedMaps(head.Ver), To: head.To - head.Base})
		}
	}
	maps := checkpoint.NextMaps(own, scripts, start, configured)
	for _, l := range all {
		if l.terms.maps = maps; !l.Redo && len(maps) > 0 {
			l.Begin(l.Step)
			l.Fold.Under(l.Rules)
		}
	}
	return maps
}
