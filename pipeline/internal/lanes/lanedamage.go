package lanes

import (
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/internal/loading"
	"github.com/footfall/footfall/sinks"
)

// lostSpan returns the end of the lost span of a damaged part, and the applied mark of the empty part that replaces it. An unreadable
// mark may have been any up to the last step's. The empty part then gets the highest: no late request of an earlier step is applied
// to it, and a redo leaves its own step out. ours is false if the mark is ahead of every step of this owner.
func (l *Lane) lostSpan(mark sinks.Value) (to, keep int64, ours bool) {
	readable := mark.Kind() == sinks.Number && mark.Int() > 0
	step := l.Step
	if !l.Redo {
		step--
	}
	if readable && mark.Int() > step {
		return 0, 0, false
	}
	if !readable {
		keep = step
	} else {
		keep = mark.Int()
	}
	switch {
	case l.Redo && keep == l.Step:
		return l.Chain.Head.To, keep, true // Nothing of the lane is under way: its head does not move.
	case l.Redo:
		return l.Chain.Head.From, keep, true
	case l.Taken.Records > 0:
		return l.Taken.from, keep, true
	}
	return l.Pos, keep, true
}

// Damaged makes the errors of the lane's parts that cannot be read.
func (l *Lane) Damaged(keys sinks.Keys, tp sinks.TP, owner string) func(damage.BadPart) error {
	mark := sinks.AttrMark(l.Name, tp)
	return func(p damage.BadPart) error {
		to, keep, ours := l.lostSpan(p.Item[mark])
		if !ours {
			return nil // Its mark is ahead: the load finds out whether there is another owner or the table is not the chain's.
		}
		return &loading.DamagedPart{DamagedError: &sinks.DamagedError{Key: p.Key, Attr: p.Attrs[0], Err: p.Cause}, Kind: p.Kind, Site: p.Site,
			Attrs: p.Attrs, Empty: p.Empty, Lane: l.Name, Mark: mark, Tp: tp, To: to, Keep: keep, Keys: keys, Owner: owner}
	}
}
