package audit

import (
	"fmt"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// CompareTable compares the table's settings with what this footfall makes.
func (v *Audit) CompareTable(it sinks.Item) {
	c := finding.CompareItem(finding.KindTable, it)
	c.Number(sinks.AttrTableSchema, sinks.SchemaVersion)
	c.Number(sinks.AttrPrecision, sinks.UniquesPrecision)
	c.Ignore(sinks.AttrSessionShards)
	if n := it[sinks.AttrSessionShards].Int(); n < 1 || n > sinks.MaxShards {
		c.Differ(sinks.AttrSessionShards, finding.Show(it[sinks.AttrSessionShards]), fmt.Sprintf("1 to %d", sinks.MaxShards))
	}
	c.Ignore(sinks.AttrHashKey)
	key := v.Opts.HashKey
	if made := it[sinks.AttrHashKey]; made.Kind() != sinks.None {
		key = made.Bytes()
		if len(key) != 16 {
			c.Differ(sinks.AttrHashKey, fmt.Sprintf("%d bytes", len(key)), "16 bytes")
		}
	}
	c.Text(sinks.AttrHashKeyPrint, sinks.HashKeyPrint(key))
	c.Ignore(sinks.AttrFormat, sinks.AttrFencing, sinks.AttrTopics) // A format that is not known has ended the run.
	c.Ignore(sinks.AttrGeneration, sinks.AttrBuilding, sinks.AttrFollowing, sinks.AttrFormer, sinks.AttrDropping,
		sinks.AttrFlipped, sinks.AttrGenerations, sinks.AttrKeepBefore, sinks.AttrFromRaw, sinks.AttrKept, sinks.AttrToday,
		sinks.AttrTableID, sinks.AttrRestoring, sinks.AttrRestored)
	if g := v.Table.Generations; max(g.Live, g.Building, g.Former, g.Dropping) > g.Last {
		c.Differ(sinks.AttrGenerations, finding.Show(it[sinks.AttrGenerations]), "the greatest number of a generation, or more")
	}
	switch {
	case v.Table.Format == 0:
		c.Differ(sinks.AttrFormat, finding.Show(it[sinks.AttrFormat]), fmt.Sprintf("%d to %d", sinks.FirstFormat, sinks.LastFormat))
	case v.Table.Format > sinks.FirstFormat:
		c.Text(sinks.AttrRelease, sinks.FormatRelease(v.Table.Format))
	}
	most := int64(0)
	for number := range v.Numbers {
		most = max(most, number)
	}
	if n := it[sinks.AttrTopics]; n.Int() < most {
		c.Differ(sinks.AttrTopics, finding.Show(n), fmt.Sprintf("%d or more, which a topic has", most))
	}
	c.Common(sinks.EntityTable, "")
	v.Add(c)
}

// CompareTopic compares a topic's number with those that were given out.
func (v *Audit) CompareTopic(it sinks.Item, last int64) {
	c := finding.CompareItem(finding.KindTopic, it)
	name, number := it[sinks.AttrTopicName].Str(), it[sinks.AttrTopicNumber].Int()
	c.Ignore(sinks.AttrTopicName, sinks.AttrTopicNumber)
	if v.Keys.Topic(name) != it.Key() {
		c.Differ(sinks.AttrTopicName, finding.Show(it[sinks.AttrTopicName]), "the topic that the key spells")
	}
	same := 0
	for _, n := range v.Topics {
		if n == number {
			same++
		}
	}
	switch {
	case number < 1 || number > last:
		c.Differ(sinks.AttrTopicNumber, finding.Show(it[sinks.AttrTopicNumber]), fmt.Sprintf("1 to %d, which were given out", last))
	case same > 1:
		c.Differ(sinks.AttrTopicNumber, finding.Show(it[sinks.AttrTopicNumber]), "a number that no other topic has")
	}
	c.Common(sinks.EntityTopic, "")
	v.Add(c)
}
