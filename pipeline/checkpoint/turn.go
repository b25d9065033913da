package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/footfall/footfall/internal/plant"
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
	return fmt.Sprintf("consumer group %q, owner %q, has come to this table after group %q and is at work", e.have.Group, e.have.Owner, e.group)
}

// AcquireInTurn is acquire for the chain that decides which consumer group a partition is of. It takes the chain over where it is
// our group's, where it is an earlier one's, and where it still stands as quiet says: as it has stood for long enough. Otherwise it
// returns a *yieldError.
func AcquireInTurn(ctx context.Context, table Table, key sinks.Key, owner, group string, quiet Stand) (*Chain, error) {
	c := newChain(table, key, owner, group)
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
		if have.LaterThan(group) && have.Stand() != quiet && !plant.GroupsFight {
			return nil, &YieldError{group, *have}
		}
		// On condition that it still stands so: a copy of this request that comes late finds the later group at work.
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
