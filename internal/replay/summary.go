package replay

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/pipeline/event"
)

// Summary says what became of the entries that a run has seen.
type Summary struct {
	Topic       string                             `json:"topic"`
	FailedTopic string                             `json:"failedTopic"`
	DryRun      bool                               `json:"dryRun"`
	Published   int64                              `json:"published"` // in a dry run: would be
	Found       int64                              `json:"found"`     // published already by a run that was killed
	ByReason    map[event.Reason]int64             `json:"byReason"`
	ByPartition map[int32]int64                    `json:"byPartition"` // of the source topic
	Skipped     map[Skipped]map[event.Reason]int64 `json:"skipped"`     // reason "": not readable
	Predicted   *Prediction                        `json:"predicted"`   // of the published records; null: nothing was published
}

func newSummary(o Options) *Summary {
	return &Summary{Topic: o.Topic, FailedTopic: o.Failed, DryRun: o.DryRun, ByReason: make(map[event.Reason]int64),
		ByPartition: make(map[int32]int64), Skipped: make(map[Skipped]map[event.Reason]int64)}
}

func (s *Summary) published(entries []*entry) {
	for _, e := range entries {
		s.Published++
		s.ByReason[e.class.Reason]++
		s.ByPartition[e.source.Partition]++
	}
}

func (s *Summary) pass(reason event.Reason, why Skipped) {
	if s.Skipped[why] == nil {
		s.Skipped[why] = make(map[event.Reason]int64)
	}
	s.Skipped[why][reason]++
}

func (s *Summary) skipped(why Skipped) (sum int64) {
	for _, n := range s.Skipped[why] {
		sum += n
	}
	return sum
}

// WriteText writes the summary for people.
func (s *Summary) WriteText(w io.Writer) error {
	verb := "Published"
	if s.DryRun {
		verb = "Would publish"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s of topic %q to topic %q.\n", verb, plural.Count(s.Published, "entry", "entries"), s.FailedTopic, s.Topic)
	if s.Found > 0 {
		fmt.Fprintf(&b, "%d more were published by an earlier run that ended before it could report them.\n", s.Found)
	}
	if p := s.Predicted; p != nil {
		fmt.Fprintf(&b, "By the settings of now, %d of them would be counted, or repeat an event, and %d rejected again", p.Counted,
			p.RejectedAgain())
		if len(p.Rejected) > 0 {
			b.WriteString(": " + p.Reasons())
		}
		b.WriteString(".\n")
	}
	for _, x := range explained {
		if n := s.skipped(x.why); n > 0 {
			fmt.Fprintf(&b, x.text, n)
		}
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	s.writeReasons(t, verb)
	if len(s.ByPartition) > 0 {
		fmt.Fprint(t, "\nPARTITION\t", strings.ToUpper(verb), "\n")
		for _, p := range slices.Sorted(maps.Keys(s.ByPartition)) {
			fmt.Fprintf(t, "%d\t%d\n", p, s.ByPartition[p])
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeReasons writes a line for each reason.
func (s *Summary) writeReasons(t io.Writer, verb string) {
	reasons := maps.Clone(s.ByReason)
	var columns []Skipped
	for _, why := range order {
		if len(s.Skipped[why]) > 0 {
			columns = append(columns, why)
			maps.Copy(reasons, s.Skipped[why])
		}
	}
	if len(reasons) == 0 {
		return
	}
	fmt.Fprint(t, "\nREASON\t", strings.ToUpper(verb))
	again := s.Predicted.RejectedAgain() > 0
	if again {
		fmt.Fprint(t, "\tSTILL REJECTED")
	}
	for _, why := range columns {
		fmt.Fprint(t, "\t", strings.ToUpper(headings[why]))
	}
	fmt.Fprintln(t)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(t, "%s\t%d", orDash(reason), s.ByReason[reason])
		if again {
			fmt.Fprintf(t, "\t%d", s.Predicted.Still[reason])
		}
		for _, why := range columns {
			fmt.Fprintf(t, "\t%d", s.Skipped[why][reason])
		}
		fmt.Fprintln(t)
	}
}

func orDash(r event.Reason) string {
	if r == "" {
		return "-"
	}
	return string(r)
}
