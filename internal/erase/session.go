package erase

import (
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// eraseSession returns the update that makes a session's item that of an erased session by the tombstone of a revision: of
// its figures nothing changes. It is refused if a step was written in between. ok is false if nothing is left to do.
//
// The step that the item is marked with must not be done again, nor one of an older revision be written: they would need the
// pages that the states have.
func eraseSession(it sinks.Item, tp sinks.TP, rev int64) (u sinks.Update, ok bool, err error) {
	cur, before, err := states(it)
	if err != nil {
		return u, false, err
	}
	base := &state.Session{}
	for _, s := range [...]struct {
		attr string
		*state.Session
	}{{sinks.AttrCur, &cur}, {sinks.AttrPrev, &before}} {
		if s.Events == 0 {
			continue
		}
		ok = ok || !s.Erased
		s.Erase()
		u.Set = append(u.Set, sinks.Attr{Name: s.attr, Value: sinks.Bytes(s.AppendBinary(nil, base))})
		base = &cur
	}
	for _, name := range state.PersonalAttrs {
		if it[name].Kind() != sinks.None {
			u.Remove, ok = append(u.Remove, name), true
		}
	}
	if by := it[sinks.AttrErased].Int(); by > 0 {
		rev = by
	} else {
		ok = true
	}
	u.Set = append(u.Set, sinks.Attr{Name: sinks.AttrErased, Value: sinks.Int(rev)})
	mark := sinks.AttrMark(checkpoint.LaneStats, tp)
	u.Key, u.If = it.Key(), []sinks.Cond{{Attr: mark, Op: sinks.Equal, Value: it[mark]}}
	return u, ok, nil
}

// states reads the two states of a session's item.
func states(it sinks.Item) (cur, before state.Session, err error) {
	if cur, err = state.SessionOf(it); err != nil {
		return cur, before, sinks.Damaged(it.Key(), sinks.AttrCur, err)
	}
	if before, err = state.SessionBefore(it, &cur); err != nil {
		return cur, before, sinks.Damaged(it.Key(), sinks.AttrPrev, err)
	}
	return cur, before, nil
}

// openedAt is when a session's item says that it was opened; 0 of one whose state is lost.
func openedAt(it sinks.Item) (int64, error) {
	cur, err := state.SessionOf(it)
	if err != nil {
		return 0, sinks.Damaged(it.Key(), sinks.AttrCur, err)
	}
	return cur.OpenedAt, nil
}

// unnameSession returns the update that takes from a session's item whose it is, and notes the revision of the tombstone. Steps
// of older revisions may still be written. ok is false where nothing is left to be done.
func unnameSession(it sinks.Item, rev int64) (u sinks.Update, ok bool) {
	u.Key, u.If = it.Key(), []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}
	for _, name := range []string{sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrGSI1PK, sinks.AttrGSI1SK} {
		if it[name].Kind() != sinks.None {
			u.Remove, ok = append(u.Remove, name), true
		}
	}
	if it[sinks.AttrErased].Kind() == sinks.None {
		u.Set, ok = append(u.Set, sinks.Attr{Name: sinks.AttrErased, Value: sinks.Int(rev)}), true
	}
	return u, ok
}
