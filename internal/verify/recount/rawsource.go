package recount

import (
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// RawSource reads where a raw event's record lies: "topic/partition/offset".
func RawSource(it sinks.Item) (topic string, partition int32, offset int64, ok bool) {
	rest, last, ok1 := cutLast(it["source"].Str())
	topic, middle, ok2 := cutLast(rest)
	offset, err1 := strconv.ParseInt(last, 10, 64)
	p, err2 := strconv.ParseInt(middle, 10, 32)
	return topic, int32(p), offset, ok1 && ok2 && err1 == nil && err2 == nil
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// OfAnotherTopic reports whether a raw event names a record of another topic that the table counts.
func (m *Model) OfAnotherTopic(it sinks.Item) bool {
	topic, _, _, ok := RawSource(it)
	return ok && topic != m.Opts.Topic && m.Topics[topic] != 0
}

// OfLostRecord reports whether a raw event names a record that no chain folds, or that the log has lost. Such a raw event comes from an
// owner that read the record and ended before the record's step began.
func (m *Model) OfLostRecord(it sinks.Item) bool {
	topic, partition, offset, ok := RawSource(it)
	c := m.Chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
	if !ok || topic != m.Opts.Topic || c == nil {
		return false
	}
	position := offset + c.Head.Base
	return c.Gaps > 0 && position < c.First || offset < m.Starts[partition] || m.Recreated || c.Head.TopicID != m.Log.HexID() ||
		slices.ContainsFunc(c.Skips, func(s Skip) bool { return s.From <= position && position < s.To })
}
