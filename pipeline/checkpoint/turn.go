package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/footfall/footfall/sinks"
)

// groupsListed is how many groups a checkpoint lists. One that has dropped out of the list is new again.
const groupsListed = 4

// YieldError reports that a chain is left to a later group.
type YieldError struct {
	group string // ours
	have  Head
}

func (e *YieldError) Error() string {
	return fmt.Sprintf("consumer group %q, owner %q, has come to this table after group %q and is at work", e.have.Group, e.have.Owner,
		e.group)
}

// AcquireInTurn is Acquire for the chain that decides which consumer group owns a partition. It takes the chain over if the owner is of
// our group or of an earlier one, or if the chain has not moved since quiet. Otherwise it returns a *YieldError.
func AcquireInTurn(ctx context.Context, table Table, key sinks.Key, by Owner, quiet Stand) (*Chain, error) {
	c, group := newChain(table, key, by), by.Group
	var more []sinks.Attr
	ours := []sinks.Cond{{Attr: AttrGroup, Op: sinks.Equal, Value: sinks.Str(group)}}
	for conds := ours; ; {
		have, err := c.take(ctx, more, conds)
		if have == nil || err != nil {
			return c, err
		}
		more, conds = nil, ours
		if have.Group == group {
			continue
		}
		if have.LaterThan(group) && have.Stand() != quiet {
			return nil, &YieldError{group, *have}
		}
		// On condition that it has not moved: a late copy of this request finds the later group at work.
		conds = []sinks.Cond{equalOrAbsent(AttrEpoch, have.Epoch), equalOrAbsent(AttrStep, have.Step)}
		if order := have.Order(); !slices.Contains(order, group) {
			order = append(slices.Clone(order), group)
			more = groupsAttr(order[max(0, len(order)-groupsListed):])
		}
	}
}

func equalOrAbsent(attr string, n int64) sinks.Cond {
	if n == 0 {
		return sinks.Cond{Attr: attr, Op: sinks.Absent}
	}
	return sinks.Cond{Attr: attr, Op: sinks.Equal, Value: sinks.Int(n)}
}

// groupsAttr is the list as an attribute; a single group is not listed.
func groupsAttr(order []string) []sinks.Attr {
	if len(order) < 2 {
		return nil
	}
	b, err := json.Marshal(order)
	if err != nil {
		panic(err) // Strings marshal.
	}
	return []sinks.Attr{{Name: AttrGroups, Value: sinks.Str(string(b))}}
}
