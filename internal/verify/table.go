package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// What a table was made with, and the topics that have a number in it. Neither follows from the log: they are compared with what
// this footfall writes, and with each other.

// open reads what the table was made with. used is false when no pipeline has written the topic to it, or when its settings are
// such that nothing can be compared.
func (v *verifier) open(ctx context.Context) (used bool, err error) {
	v.Report.Note = ""
	topics, err := v.readTopics(ctx) // Before the settings, which count the numbers: a pipeline that starts now may draw one.
	if err != nil {
		return false, err
	}
	key := v.Keys.TableSettings()
	found, err := v.Load(ctx, []sinks.Key{key})
	if err != nil {
		return false, err
	}
	settings := found[key]
	if settings == nil {
		v.Report.Note = "no pipeline has written to this table"
		return false, nil
	}
	if v.Number = v.Topics[v.Opts.Topic]; v.Number == 0 {
		v.Report.Note = fmt.Sprintf("no pipeline has written topic %q to this table", v.Opts.Topic)
		return false, nil
	}
	if v.Table, err = sinks.ReadTableSettings(settings); err != nil {
		if _, damaged := errors.AsType[*sinks.SettingsError](err); !damaged {
			return false, err
		}
		v.heads.CompareTable(settings)
		v.unusable = true
		v.Report.Note = "nothing else was compared: " + err.Error()
		return false, nil
	}
	if fault := sinks.CheckHashKey(v.Table, v.Opts.HashKey); fault != "" {
		return false, errors.New(fault)
	}
	hashKey := v.Opts.HashKey
	if hashKey == nil {
		hashKey = v.Table.HashKey
	}
	if v.Hasher, err = sketch.NewHasher(hashKey); err != nil {
		return false, err
	}
	if v.Hashes.First() {
		v.heads.CompareTable(settings)
		for _, it := range topics {
			v.heads.CompareTopic(it, settings[sinks.AttrTopics].Int())
		}
		if err := errors.Join(v.heads.ScanTokens(ctx), v.heads.ScanVerifications(ctx), v.heads.ScanAnnotations(ctx)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// readTopics finds out which numbers the topics of the table have.
func (v *verifier) readTopics(ctx context.Context) (items []sinks.Item, err error) {
	v.Topics, v.Numbers = make(map[string]int64), make(map[int64]bool)
	pk, prefix := v.Keys.Topics()
	for it, err := range v.Items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		items = append(items, it)
		if name := it[sinks.AttrTopicName].Str(); v.Keys.Topic(name) == it.Key() {
			v.Topics[name] = it[sinks.AttrTopicNumber].Int()
			v.Numbers[it[sinks.AttrTopicNumber].Int()] = true
		}
	}
	return items, v.readOtherNumbers(ctx)
}

// readOtherNumbers finds out which numbers the topics have in other generations, also in those that were dropped: packs and marks of these
// may lie in what belongs to all.
func (v *verifier) readOtherNumbers(ctx context.Context) error {
	_, has, err := sinks.CheckFormat(ctx, v.Opts.Table)
	if err != nil {
		return err
	}
	for n := range has.Restored {
		v.Numbers[n+1] = true
	}
	for n := range has.Last {
		topics, err := sinks.Topics(ctx, v.Opts.Table, sinks.KeysOfGeneration(n+1))
		if err != nil {
			return err
		}
		for number := range topics {
			v.Numbers[number] = true
		}
	}
	return nil
}
