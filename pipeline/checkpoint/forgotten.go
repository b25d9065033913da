package checkpoint

import (
	"encoding/json"

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

// ForgotAt is what the history of a step names.
func (c *Head) ForgotAt(step int64) *Forgotten {
	if c.Forgot == nil || c.Forgot.Step != step {
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

func (f *Forgotten) Attr() sinks.Attr {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err) // Numbers marshal.
	}
	return sinks.Attr{Name: attrForgot, Value: sinks.Str(string(b))}
}
