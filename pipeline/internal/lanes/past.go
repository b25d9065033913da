package lanes

import (
	"context"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Past is the part of a chain's history whose records the topic no longer has.
type Past struct {
	Keys  sinks.Keys
	TP    sinks.TP
	Lane  string
	Start int64 // position of the topic's first record
}

// Past returns what the step merges of the chain's history, if it is the first step of a day, and the table's format keeps releases out
// that cannot read merged items; otherwise nil.
func (l *Lane) Past(keys sinks.Keys, tp sinks.TP, next checkpoint.Head, start int64) *Past {
	if l.Chain.Format < sinks.FormatOfPurges || checkpoint.RecordedNotAfter(next.Ver) == checkpoint.RecordedNotAfter(l.Chain.Head.Ver) {
		return nil
	}
	return &Past{keys, tp, l.Name, l.Base + start}
}

// merge merges items of the chain's history that nothing needs any more: see checkpoint.MergesOf. It may be cut short, and a former owner
// may merge at the same time: an item is deleted only after the one before says that it covers the item, and Merged never decreases.
func (a *Applier) merge(ctx context.Context, p *Past) error {
	var list []checkpoint.History
	pk, prefix := p.Keys.Histories(p.TP, p.Lane)
	const page = 100
	for it, err := range a.Send.Items(ctx, a.Chain.Pulse, "read the chain's history", sinks.Query{PK: pk, Prefix: prefix, Limit: page}) {
		if err != nil {
			return err
		}
		h, err := checkpoint.ReadHistory(it)
		if err != nil {
			return err
		}
		if list = append(list, h); h.From > p.Start {
			break
		}
	}
	for _, m := range checkpoint.MergesOf(list, p.Start, time.Now()) {
		to := sinks.Int(m.To)
		_, err := a.Send.Update(ctx, a.Chain.Pulse, sinks.EntityHistory, sinks.Update{Key: p.Keys.History(p.TP, p.Lane, m.Into),
			Set: []sinks.Attr{{Name: checkpoint.AttrMerged, Value: to}},
			If: []sinks.Cond{{Attr: checkpoint.AttrStep, Op: sinks.Equal, Value: sinks.Int(m.Into)},
				{Attr: checkpoint.AttrMerged, Op: sinks.AbsentOrLess, Value: to}}})
		if err != nil {
			return err
		}
		keys := make([]sinks.Key, len(m.Steps))
		for i, step := range m.Steps {
			keys[i] = p.Keys.History(p.TP, p.Lane, step)
		}
		if err := a.delete(ctx, sinks.EntityHistory, keys); err != nil {
			return err
		}
	}
	return nil
}
