package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// ErrGap reports records that the chain has not folded and that the topic no longer holds.
var ErrGap = errors.New("records are gone before they were folded")

// A Gap is what a chain will never fold, or may have folded without a record of it: the one thing that a recount cannot heal. It is
// found when a partition is taken over, kept in the chain's checkpoint until an operator decides about it, and in the
// chain's history once an operator has accepted it: the totals of the chain and its gaps together bound how far the
// numbers are from what was published.
//
// All bounds are positions; [from, to) with to = from is empty.
type Gap struct {
	Cause GapCause `json:"cause"`
	Step  int64    `json:"step"` // the chain's last step when the gap was found

	// Undecided are the positions of a step that was open: some of its items may hold it and others may not.
	UndecidedFrom int64 `json:"undecidedFrom"`
	UndecidedTo   int64 `json:"undecidedTo"`

	// Unread are the positions that no step has had. UnreadFrom is the first; if Unbounded is true, how many followed is
	// not known; otherwise they end at UnreadTo.
	UnreadFrom int64 `json:"unreadFrom"`
	UnreadTo   int64 `json:"unreadTo"`
	Unbounded  bool  `json:"unbounded,omitempty"`

	// SkippedTo is the end of what an operator skipped where that lies within the undecided step; 0: it does not.
	SkippedTo int64 `json:"skippedTo,omitempty"`

	// Once it is accepted, the chain continues at the position UnreadTo, in this topic and with this base.
	TopicID string `json:"topicId"`
	Base    int64  `json:"base"`
	Same    bool   `json:"sameOffsets,omitempty"` // of GapMirrored: all records of the topic before have the offsets that they had

	Found    string `json:"found"`              // when, RFC 3339
	Accepted string `json:"accepted,omitempty"` // when, RFC 3339; empty: not yet
}

// GapCause says how records went missing.
type GapCause string

// The causes.
const (
	GapExpired   GapCause = "expired"   // deleted at the log's beginning, by retention or by hand
	GapTruncated GapCause = "truncated" // the log ends before what was folded: brokers lost acknowledged records
	GapRecreated GapCause = "recreated" // the topic was deleted and created again under an open step
	GapMissing   GapCause = "missing"   // the log has lost records in its middle: the open step's last one is not there
	GapSkipped   GapCause = "skipped"   // an operator passed offsets that cannot be read
	GapWindow    GapCause = "window"    // the log has lost the records that show which of the open step's are duplicates
	GapMirrored  GapCause = "mirrored"  // nothing is missing: the chain continues in a mirror of its topic, see mirror.go
)

// String says what is missing, in positions.
func (g *Gap) String() string {
	if g.Cause == GapMirrored {
		return fmt.Sprintf("mirrored: it continues at offset %d of a mirror with topic id %s, position %d", g.UnreadTo-g.Base, g.TopicID,
			g.UnreadTo)
	}
	var parts []string
	if g.UndecidedTo > g.UndecidedFrom {
		parts = append(parts, fmt.Sprintf("step %d, positions [%d,%d), was open and is undecided", g.Step, g.UndecidedFrom, g.UndecidedTo))
	}
	switch {
	case g.Unbounded:
		parts = append(parts, fmt.Sprintf("the first unread position is %d, and how many followed is not known", g.UnreadFrom))
	case g.UnreadTo > g.UnreadFrom:
		parts = append(parts, fmt.Sprintf("positions [%d,%d) were never read", g.UnreadFrom, g.UnreadTo))
	}
	if parts == nil {
		parts = append(parts, fmt.Sprintf("everything up to position %d is folded, and its end is not in the log any more", g.UnreadFrom))
	}
	return string(g.Cause) + ": " + strings.Join(parts, "; ")
}

// Floor is the position below which the window of duplicates does not reach once the gap is passed: the end of what was skipped, and not
// that of the undecided step, whose records can be read after it. So it is the same in both lanes, which share the window. 0: no gap
// of this cause moves the window.
func (g *Gap) Floor() int64 {
	switch {
	case g.Cause != GapSkipped:
		return 0
	case g.SkippedTo > 0:
		return g.SkippedTo
	}
	return g.UnreadTo
}

// GapError is a gap that keeps a chain from going on.
type GapError struct {
	Gap       Gap
	Partition int32
	Lane      string
}

func (e *GapError) Error() string {
	return fmt.Sprintf("partition %d, lane %s: %v: %s", e.Partition, e.Lane, ErrGap, e.Gap.String())
}

func (e *GapError) Unwrap() error { return ErrGap }

// FindGap compares a chain's head with the log that it is to continue in. It returns nil when nothing is missing.
func FindGap(head Head, topicID string, log Extent, now time.Time) *Gap {
	g := &Gap{Step: head.Step, UnreadFrom: head.Position(), TopicID: topicID, Base: head.Base, Found: now.UTC().Format(time.RFC3339)}
	if !head.Done {
		g.UndecidedFrom, g.UndecidedTo, g.UnreadFrom = head.From, head.To, head.To
	}
	g.UnreadTo = g.UnreadFrom
	switch begin, end := log.Start+head.Base, log.End+head.Base; {
	case head.TopicID != topicID && !head.Done:
		g.Cause, g.Unbounded, g.Base = GapRecreated, true, head.To
	case head.TopicID != topicID: // The chain continues with the new topic's first record.
		if log.Start == 0 {
			return nil
		}
		g.Cause, g.Base, g.UnreadFrom, g.UnreadTo = GapExpired, head.To, head.To, head.To+log.Start
	case g.UnreadFrom > end: // What is published next takes offsets that were folded already, and other positions.
		g.Cause, g.Base = GapTruncated, g.UnreadTo-log.End
	case head.Position() < begin:
		g.Cause, g.UnreadTo = GapExpired, max(g.UnreadFrom, begin)
	default:
		return nil
	}
	return g
}

// Standing returns the gap that was found before where a look at the log does not show it any more, or not as it was:
// a log that was truncated grows again, and only a redo finds what is missing inside a step. Else it returns nil.
func (g *Gap) Standing(head Head, topicID string) *Gap {
	if g == nil || g.Step != head.Step || head.TopicID != topicID || g.Cause != GapTruncated && g.Cause != GapMissing && g.Cause != GapWindow {
		return nil
	}
	found := *g
	return &found
}

// Unrepeatable is the gap of an open step that cannot be done again as it was begun.
func Unrepeatable(cause GapCause, head Head, now time.Time) Gap {
	return Gap{Cause: cause, Step: head.Step, UndecidedFrom: head.From, UndecidedTo: head.To, UnreadFrom: head.To,
		UnreadTo: head.To, TopicID: head.TopicID, Base: head.Base, Found: now.UTC().Format(time.RFC3339)}
}

const AttrGap = "gap" // of checkpoints and histories: a Gap as JSON

func readGap(it sinks.Item) (*Gap, error) {
	s := it[AttrGap].Str()
	if s == "" {
		return nil, nil
	}
	g := new(Gap)
	if err := json.Unmarshal([]byte(s), g); err != nil {
		return nil, sinks.Damaged(it.Key(), AttrGap, err)
	}
	return g, nil
}

func (g *Gap) Attr() sinks.Attr {
	b, err := json.Marshal(g)
	if err != nil {
		panic(err) // Numbers and strings marshal.
	}
	return sinks.Attr{Name: AttrGap, Value: sinks.Str(string(b))}
}
