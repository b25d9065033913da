package checkpoint

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/footfall/footfall/pipeline/event"
)

// The errors of HeldOf.
var (
	// ErrNotFolded reports a record that its chain has not come to, so that its settings are still open.
	ErrNotFolded = errors.New("the chain has not come to this record yet")
	// ErrUntold reports a record that is in a gap of its chain, or whose step cannot be determined from the chain's history.
	ErrUntold = errors.New("the history does not show what became of this record")
)

// Held is what a chain folds a record under.
type Held struct {
	Settings Settings
	Rev      int64 // of the rules of sites
	Position int64 // of the record
	Open     bool  // its step may not be in the table yet
}

// HeldOf returns the settings and rules that the chain folds a record of its partition under, for [Settings.Judge]: those that the record's
// step names. They may differ from those of the entry on the failed-events topic. The process that published the entry may have ended
// before it began the step, and another process may have begun the step under its own settings.
//
// topicID is the topic's present id. A record of an earlier topic of the name is found as long as the history has that topic. An error
// wraps [ErrNotFolded] or [ErrUntold].
func (s ChainState) HeldOf(x event.Source, topicID [16]byte) (Held, error) {
	id := hex.EncodeToString(x.TopicID[:])
	var found []History
	eras := s.eras()
	for i, e := range eras {
		end := s.Head.To
		if i+1 < len(eras) {
			end = eras[i+1].Before(e)
		}
		if position := x.Offset + e.Base; e.TopicID == id && e.From <= position && position < end {
			found = append(found, e)
		}
	}
	later := x.TopicID == topicID && (s.Head.TopicID != id || x.Offset+s.Head.Base >= s.Head.To)
	switch {
	case later && len(found) == 0:
		return Held{}, ErrNotFolded
	case later, len(found) != 1: // A log that was cut short gives its offsets to other records, at other positions.
		return Held{}, ErrUntold
	}
	e := found[0]
	if e.Gap != nil && x.Offset+e.Base < e.Gap.UnreadTo || x.Offset+e.Base < e.Merged {
		return Held{}, ErrUntold
	}
	settings, err := ParseValues(e.Ver)
	if err != nil {
		return Held{}, fmt.Errorf("%w: %w", ErrUntold, err)
	}
	position := x.Offset + e.Base
	return Held{settings, e.Rev, position, !s.Head.Done && position >= s.Head.From}, nil
}

// eras are what held from which step on, in order. The last is the head's own, whose history need not be written yet.
func (s ChainState) eras() []History {
	head := History{Step: s.Head.Step, From: s.Head.From, Ver: s.Head.Ver, Rev: s.Head.Rev, Base: s.Head.Base, TopicID: s.Head.TopicID}
	if g := s.Head.Gap; g != nil && g.Accepted != "" {
		head.Gap = g
	}
	var eras []History
	for _, h := range s.History {
		switch {
		case h.Step < head.Step:
			eras = append(eras, h)
		case h.Step == head.Step:
			head.Gap = h.Gap
		}
	}
	return append(eras, head)
}
