package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// What a table was made with, and the topics that have a number in it. Neither follows from the log: they are compared with what
// this footfall writes, and with each other.

// open reads what the table was made with. used is false when no pipeline has written the topic to it, or when its settings are
// such that nothing can be compared.
func (v *verifier) open(ctx context.Context) (used bool, err error) {
	v.report.Note = ""
	topics, err := v.readTopics(ctx) // Before the settings, which count the numbers: a pipeline that starts now may draw one.
	if err != nil {
		return false, err
	}
	key := v.keys.TableSettings()
	found, err := v.get(ctx, []sinks.Key{key})
	if err != nil {
		return false, err
	}
	settings := found[key]
	if settings == nil {
		v.report.Note = "no pipeline has written to this table"
		return false, nil
	}
	if v.number = v.topics[v.opts.Topic]; v.number == 0 {
		v.report.Note = fmt.Sprintf("no pipeline has written topic %q to this table", v.opts.Topic)
		return false, nil
	}
	if v.table, _, err = sinks.LoadTableSettings(ctx, v.opts.Table, v.keys); err != nil {
		if _, damaged := errors.AsType[*sinks.SettingsError](err); !damaged {
			return false, err
		}
		v.heads.compareTable(settings)
		v.unusable = true
		v.report.Note = "nothing else was compared: " + err.Error()
		return false, nil
	}
	if fault := sinks.CheckHashKey(v.table, v.opts.HashKey); fault != "" {
		return false, errors.New(fault)
	}
	hashKey := v.opts.HashKey
	if hashKey == nil {
		hashKey = v.table.HashKey
	}
	if v.hasher, err = sketch.NewHasher(hashKey); err != nil {
		return false, err
	}
	if v.hashes.first() {
		v.heads.compareTable(settings)
		for _, it := range topics {
			v.heads.compareTopic(it, settings[sinks.AttrTopics].Int())
		}
		if err := errors.Join(v.heads.scanTokens(ctx), v.heads.scanVerifications(ctx), v.heads.scanAnnotations(ctx)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// readTopics finds out which numbers the topics of the table have.
func (v *verifier) readTopics(ctx context.Context) (items []sinks.Item, err error) {
	v.topics, v.numbers = make(map[string]int64), make(map[int64]bool)
	pk, prefix := v.keys.Topics()
	for it, err := range v.items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		items = append(items, it)
		if name := it[sinks.AttrTopicName].Str(); v.keys.Topic(name) == it.Key() {
			v.topics[name] = it[sinks.AttrTopicNumber].Int()
			v.numbers[it[sinks.AttrTopicNumber].Int()] = true
		}
	}
	return items, nil
}

// compareTable compares the table's settings with what this footfall makes.
func (v *chainAudit) compareTable(it sinks.Item) {
	c := compareItem(kindTable, it)
	c.number(sinks.AttrTableSchema, sinks.SchemaVersion)
	c.number(sinks.AttrPrecision, sinks.UniquesPrecision)
	c.ignore(sinks.AttrSessionShards)
	if n := it[sinks.AttrSessionShards].Int(); n < 1 || n > sinks.MaxShards {
		c.differ(sinks.AttrSessionShards, show(it[sinks.AttrSessionShards]), fmt.Sprintf("1 to %d", sinks.MaxShards))
	}
	c.ignore(sinks.AttrHashKey)
	key := v.opts.HashKey
	if made := it[sinks.AttrHashKey]; made.Kind() != sinks.None {
		key = made.Bytes()
		if len(key) != 16 {
			c.differ(sinks.AttrHashKey, fmt.Sprintf("%d bytes", len(key)), "16 bytes")
		}
	}
	c.text(sinks.AttrHashKeyPrint, sinks.HashKeyPrint(key))
	c.ignore(sinks.AttrTopics)
	most := int64(0)
	for number := range v.numbers {
		most = max(most, number)
	}
	if n := it[sinks.AttrTopics]; n.Int() < most {
		c.differ(sinks.AttrTopics, show(n), fmt.Sprintf("%d or more, which a topic has", most))
	}
	c.common(sinks.EntityTable, "")
	v.add(c)
}

// compareTopic compares a topic's number with those that were given out.
func (v *chainAudit) compareTopic(it sinks.Item, last int64) {
	c := compareItem(kindTopic, it)
	name, number := it[sinks.AttrTopicName].Str(), it[sinks.AttrTopicNumber].Int()
	c.ignore(sinks.AttrTopicName, sinks.AttrTopicNumber)
	if v.keys.Topic(name) != it.Key() {
		c.differ(sinks.AttrTopicName, show(it[sinks.AttrTopicName]), "the topic that the key spells")
	}
	same := 0
	for _, n := range v.topics {
		if n == number {
			same++
		}
	}
	switch {
	case number < 1 || number > last:
		c.differ(sinks.AttrTopicNumber, show(it[sinks.AttrTopicNumber]), fmt.Sprintf("1 to %d, which were given out", last))
	case same > 1:
		c.differ(sinks.AttrTopicNumber, show(it[sinks.AttrTopicNumber]), "a number that no other topic has")
	}
	c.common(sinks.EntityTopic, "")
	v.add(c)
}

// ofTopic reports whether a topic of the table has that number. An item of another number is a difference.
func (v *scope) ofTopic(number int64) bool { return v.numbers[number] }

// topicOf reads the topic number of a mark or another attribute that is named for a partition; ok is false when it is not.
func topicOf(name string, prefixes ...string) (number int64, ok bool) {
	for _, prefix := range prefixes {
		rest, found := strings.CutPrefix(name, prefix)
		if tp, err := sinks.ParseTP(rest); found && err == nil && tp.String() == rest {
			return tp.Topic, true
		}
	}
	return 0, false
}
