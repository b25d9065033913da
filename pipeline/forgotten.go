package pipeline

import (
	"context"
	"encoding/json"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/sinks"
)

// Records that a chain has folded are read once more by its next owner, for the window of duplicates. Where they cannot be read
// any more, an operator passes them as well: the window does not reach below their end from then on. Nothing that was counted
// changes, but a copy of an event from below counts again. That is a setting of the chain: the checkpoint has it at once, and the
// history of the next step names it, so that every recount judges the steps before and after it as they were judged.

// Forgotten are the positions [From, To) that the window of duplicates was moved beyond.
type Forgotten struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Step int64 `json:"step"` // the first that is judged so
}

// forgotAt is what the history of a step names.
func (c *Checkpoint) forgotAt(step int64) *Forgotten {
	if c.Forgot == nil || c.Forgot.Step != step || plant.ForgottenUnnamed {
		return nil
	}
	return c.Forgot
}

func readForgotten(it sinks.Item) (*Forgotten, error) {
	s := it[attrForgot].Str()
	if s == "" {
		return nil, nil
	}
	f := new(Forgotten)
	if err := json.Unmarshal([]byte(s), f); err != nil {
		return nil, sinks.Damaged(it.Key(), attrForgot, err)
	}
	return f, nil
}

func (f *Forgotten) attr() sinks.Attr {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err) // Numbers marshal.
	}
	return sinks.Attr{Name: attrForgot, Value: sinks.Str(string(b))}
}

// forgetWindow moves the floor of the chain's window of duplicates beyond positions that it has folded. The step that is open, if
// one is, is done again above the new floor; if that finds other duplicates than the step had, its redo leaves a gap.
func (c *chain) forgetWindow(ctx context.Context, from, to int64) error {
	f := Forgotten{from, to, c.head.Step + 1}
	if was := c.head.Forgot; was != nil && (was.Step == f.Step || was.Step == c.head.Step && !c.head.Done) { // No history names it for certain.
		f = Forgotten{min(from, was.From), max(to, was.To), was.Step}
	}
	floor := max(c.head.Floor, f.To)
	err := c.amend(ctx, "move the window of duplicates", []sinks.Attr{f.attr(), {Name: attrFloor, Value: sinks.Int(floor)}}, nil)
	if err == nil {
		c.head.Forgot, c.head.Floor = &f, floor
	}
	return err
}
