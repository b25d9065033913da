package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/sinks"
)

// admittedMarks compares what a site's entry in the list of sites says about who has admitted the site. It reports whether a
// chain must have listed the site to that end.
func (e siteEntry) admittedMarks(j *Judgement) (expected bool) {
	for _, c := range e.Chains {
		mark, position := sinks.AttrMark(c.Lane, c.TP), sinks.AttrAdmitted(c.TP)
		have := e.cmp.Item[mark]
		known := c.Admitted.Sites[e.site]
		if known != nil && known.End != nil && e.Purged(e.site, c.RulesAt(known.End.Position)) {
			known = nil
		}
		if known == nil && have.Kind() == sinks.None {
			continue
		}
		j.Chains = append(j.Chains, c)
		if known != nil && known.End.Position < c.Settled() && !known.End.Unsure {
			expected = true
		}
		e.cmp.Ignore(mark)
		if c.Stats != nil {
			e.cmp.Ignore(position)
		}
		if c.NotRecounted != "" || e.cmp.Item == nil {
			continue
		}
		when, ahead := c.CutOf(have.Int())
		j.Ahead = j.Ahead || ahead
		want := known.At(when)
		if want == nil {
			if have.Kind() != sinks.None {
				e.cmp.Differ(mark, finding.Show(have), finding.Absent)
			}
			continue
		}
		if first, last := stepsOf(c, want.Position); have.Int() < first || have.Int() > last {
			e.cmp.Differ(mark, finding.Show(have), fmt.Sprintf("%d to %d, the steps that may have the record at position %d", first, last,
				want.Position))
		}
		if c.Stats != nil {
			e.cmp.Number(position, want.Position)
		}
	}
	e.otherMarks()
	return expected
}

// otherMarks passes over what chains of other topics say on a site's entry.
func (e siteEntry) otherMarks() {
	for name := range e.cmp.Item {
		if topic, ok := topicOf(name, "ws", "wr", "a"); ok && topic != e.Number && e.OfTopic(topic) {
			e.cmp.Ignore(name)
		}
	}
}

// stepsOf returns the first and the last step that a position can be of, by the checkpoint and the history.
func stepsOf(c *recount.Chain, position int64) (first, last int64) {
	if position >= c.Head.From {
		return c.Head.Step, c.Head.Step
	}
	first, last = 1, c.Head.Step-1
	for _, e := range slices.Backward(c.Eras) {
		if e.From <= position {
			return e.Step, last
		}
		last = min(last, e.Step-1)
	}
	return first, last
}

// topicOf reads the topic number of a mark or another attribute that is named for a partition; ok is false when it is not.
func topicOf(name string, prefixes ...string) (number int64, ok bool) {
	for _, prefix := range prefixes {
		rest, found := strings.CutPrefix(name, prefix)
		if tp, err := sinks.ParseTP(rest); found && err == nil && tp.String() == rest {
			return tp.Topic, true
		}
	}
	return 0, false
}
