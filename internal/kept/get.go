package kept

import (
	"context"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// BatchGet reads items by the keys of the later generation, each from the generation that has it. Keys of sessions and conversions spell no
// date: the later generation is asked first, and the earlier one for what it lacks. So of a session from before the date that both have,
// BatchGet returns that of the later one, and Query that of the earlier one. They differ if definitions have changed.
func (t *Table) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	asked := make(map[sinks.Key]sinks.Key, len(g.Keys)) // by where the item lies
	var either []sinks.Key                              // the earlier generation is asked for those that the later one lacks
	first := sinks.BatchGet{Consistent: g.Consistent}
	for _, key := range g.Keys {
		at := key
		if sinks.KeysOf(key.PK) == t.later {
			split, ok := sinks.SplitAt(key.PK, key.SK, t.from)
			switch {
			case sinks.Straddles(key, t.from):
				continue // What one generation has sealed of the month lacks the days of the other.
			case ok && split.Earlier(key.SK):
				at = t.inEarlier(key)
			case !ok && (strings.HasPrefix(key.SK, sinks.SessionPrefix) || strings.HasPrefix(key.SK, sinks.ConversionPrefix)):
				either = append(either, key)
			}
		}
		asked[at] = key
		first.Keys = append(first.Keys, at)
	}
	all := sinks.BatchResult{Items: make(map[sinks.Key]sinks.Item)}
	if err := t.read(ctx, first, asked, &all); err != nil {
		return sinks.BatchResult{}, err
	}
	left := make(map[sinks.Key]bool, len(all.Left))
	for _, key := range all.Left {
		left[key] = true
	}
	second := sinks.BatchGet{Consistent: g.Consistent}
	for _, key := range either {
		if at := t.inEarlier(key); all.Items[key] == nil && !left[key] {
			asked[at] = key
			second.Keys = append(second.Keys, at)
		}
	}
	if err := t.read(ctx, second, asked, &all); err != nil {
		return sinks.BatchResult{}, err
	}
	return all, nil
}

// inEarlier returns the key that the earlier generation has for one of the later.
func (t *Table) inEarlier(key sinks.Key) sinks.Key {
	return sinks.Key{PK: sinks.Rekey(key.PK, t.earlier), SK: key.SK}
}

// read reads items and adds them under the keys that were asked for.
func (t *Table) read(ctx context.Context, g sinks.BatchGet, asked map[sinks.Key]sinks.Key, all *sinks.BatchResult) error {
	if len(g.Keys) == 0 {
		return nil
	}
	r, err := t.Table.BatchGet(ctx, g)
	if err != nil {
		return err
	}
	for at, it := range r.Items {
		key := asked[at]
		all.Items[key] = renamed(it, key.PK)
	}
	for _, at := range r.Left {
		all.Left = append(all.Left, asked[at])
	}
	all.Units += r.Units
	return nil
}
