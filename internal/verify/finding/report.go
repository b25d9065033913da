package finding

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Report is what a run has found. Its JSON is an interface.
type Report struct {
	Topic string `json:"topic"`
	// The span of event time that was compared, in that zone; null: open.
	From *time.Time `json:"from"`
	To   *time.Time `json:"to"`
	Zone string     `json:"timeZone"` // by its IANA name

	StartedAt time.Time `json:"startedAt"` // in UTC; of a run that was resumed, when it was first started

	Records int64 `json:"records"` // of the log that were recounted
	Passes  int   `json:"passes"`  // over the log
	// Resumed says that a run before has verified a part of the sites, which this one has not looked at again.
	Resumed     bool    `json:"resumed,omitempty"`
	SampleSites float64 `json:"sampleSites,omitempty"` // share of all sites that was verified; 0: all
	KeptBytes   int64   `json:"keptBytes"`             // that a pass kept of sites at a time, at most, by its own reckoning
	Note        string  `json:"note,omitempty"`

	// UnknownSite reports that neither the table nor the recounted part of the log has the requested site. The compared
	// checkpoints say nothing about it.
	UnknownSite bool `json:"unknownSite,omitempty"`

	// EmptyRange reports that nothing was compared in the requested range. The compared checkpoints and site settings say nothing
	// about it.
	EmptyRange bool `json:"emptyRange,omitempty"`

	Compared        map[string]int64 `json:"compared"` // items, by kind
	ComparedCount   int64            `json:"comparedCount"`
	Differences     []Difference     `json:"differences"` // as many as Options.MaxDifferences
	DifferenceCount int64            `json:"differenceCount"`
	LeftOut         map[string]int64 `json:"leftOut"` // items that could not be compared, by reason
	// LeftOutKinds has the kinds of those items, by reason.
	LeftOutKinds   map[string]map[string]int64 `json:"leftOutKinds"`
	Unsettled      []string                    `json:"unsettled"` // items that moved at every read, as many as Options.MaxDifferences
	UnsettledCount int64                       `json:"unsettledCount"`
	Behind         []Behind                    `json:"behind"`           // chains that have not passed the end offsets
	Forgotten      []Forgotten                 `json:"forgotten"`        // folded positions that an operator skipped
	Gaps           []Gap                       `json:"gaps"`             // of all chains, passed or waiting for a decision
	HeldUp         []HeldUp                    `json:"heldUp,omitempty"` // what open transactions keep from being read
	Inexact
}

// Inexact are figures that are not as users may expect, although they equal the recount.
type Inexact struct {
	Lost    []Lost    `json:"lost"`         // lost spans of quarantined items
	Divided []Divided `json:"dividedSites"` // by site, the first Options.MaxDifferences
}

// Divided is what a site has counted more than once, because the events lie in several partitions: as after partitions were added.
type Divided struct {
	Site     string `json:"siteId"`
	Sessions int64  `json:"sessions"` // of which two or more partitions have a part; those that have not expired
	Visitors int64  `json:"visitors"` // new in two or more partitions; those that have not expired
}

// Difference is one attribute of one item that is not as the recount has it. The attribute of an item that is
// missing, or that the log does not explain, is "(item)".
type Difference struct {
	Kind      string `json:"kind"`
	PK        string `json:"pk"`
	SK        string `json:"sk"`
	Attribute string `json:"attribute"`
	Table     string `json:"table"`
	Recount   string `json:"recount"`
}

// The exit codes of footfall verify.
const (
	ExitDifferent = 1 // there are differences
	ExitNothing   = 3 // nothing could be compared, or nothing of the site or of the range that was asked for
	ExitUnsettled = 4 // items moved at every read, or chains have not passed the end offsets
	ExitLeftOut   = 5 // more than a tenth of the items could not be compared, for other reasons than their retention or an erasure
)

// ExitCode returns 0 when all that could be compared is equal.
func (r Report) ExitCode() int {
	switch {
	case r.DifferenceCount > 0:
		return ExitDifferent
	case r.ComparedCount == 0 || r.UnknownSite || r.EmptyRange:
		return ExitNothing
	case r.UnsettledCount > 0 || len(r.Behind) > 0:
		return ExitUnsettled
	case r.muchLeftOut():
		return ExitLeftOut
	}
	return 0
}

// muchLeftOut reports whether so much could not be compared that the rest says little.
func (r Report) muchLeftOut() bool {
	left := int64(0)
	for _, because := range []string{BecauseLog, BecauseShared, BecauseBefore, BecauseOpen} {
		left += r.LeftOut[because]
	}
	return left*10 > r.ComparedCount+left
}

// WriteText writes the report for people.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.Note != "" {
		fmt.Fprintf(&b, "%s\n", r.Note)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "%s %s / %s\n  %s: table %s, recount %s\n", d.Kind, d.PK, d.SK, d.Attribute, d.Table, d.Recount)
	}
	if n := r.DifferenceCount - int64(len(r.Differences)); n > 0 {
		fmt.Fprintf(&b, "and %s more\n", plural.Count(n, "difference", "differences"))
	}
	for _, s := range r.Unsettled {
		fmt.Fprintf(&b, "not settled: %s\n", s)
	}
	if n := r.UnsettledCount - int64(len(r.Unsettled)); n > 0 {
		fmt.Fprintf(&b, "and %s more that did not settle\n", plural.Count(n, "item", "items"))
	}
	for _, c := range r.Behind {
		fmt.Fprintf(&b, "behind: partition %d, lane %s is at offset %d, the log ended at %d: let `footfall run` or `footfall dev` catch up, "+
			"and verify again\n",
			c.Partition, c.Lane, c.Offset, c.End)
	}
	for _, h := range r.HeldUp {
		fmt.Fprintf(&b, "held up: partition %d, offsets [%d,%d): an open transaction keeps them from being read; `footfall status` names its "+
			"producer\n",
			h.Partition, h.From, h.To)
	}
	for _, g := range r.Gaps {
		if g.Cause == checkpoint.GapMirrored {
			fmt.Fprintf(&b, "mirror: partition %d, lane %s, %s (adopted %s)\n", g.Partition, g.Lane, g.Gap.String(), g.Accepted)
			continue
		}
		state := "not accepted yet: footfall partition accept-gap"
		if g.Accepted != "" {
			state = "accepted " + g.Accepted
		}
		fmt.Fprintf(&b, "gap: partition %d, lane %s, %s (%s)\n", g.Partition, g.Lane, g.Gap.String(), state)
	}
	writeForgotten(&b, r.Forgotten)
	writeLost(&b, r.Lost)
	for _, d := range r.Divided {
		fmt.Fprintf(&b, "divided: site %s: %d sessions and %d new visitors were seen by two partitions, and count in each\n", d.Site, d.Sessions,
			d.Visitors)
	}
	for _, reason := range slices.Sorted(maps.Keys(r.LeftOut)) {
		fmt.Fprintf(&b, "left out: %d, %s (%s)\n", r.LeftOut[reason], reason, byKind(r.LeftOutKinds[reason]))
	}
	if r.SampleSites > 0 {
		fmt.Fprintf(&b, "sample: %v%% of all sites\n", r.SampleSites*100)
	}
	fmt.Fprintf(&b, "range: %s\n", r.span())
	fmt.Fprintf(&b, "topic %s: %s recounted, %s compared", r.Topic, plural.Count(r.Records, "record", "records"),
		plural.Count(r.ComparedCount, "item", "items"))
	if len(r.Compared) > 0 {
		fmt.Fprintf(&b, " (%s)", byKind(r.Compared))
	}
	fmt.Fprintf(&b, "\n%s%s\n", plural.Count(r.DifferenceCount, "difference", "differences"), r.reservation())
	_, err := io.WriteString(w, b.String())
	return err
}

// reservation says why a report without differences does not mean that all is equal; empty: it does, or there are differences.
func (r Report) reservation() string {
	switch code := r.ExitCode(); code {
	case ExitNothing:
		return fmt.Sprintf(", as nothing that was asked for could be compared (exit code %d)", code)
	case ExitUnsettled:
		return fmt.Sprintf(" in what could be compared: partitions are behind or items did not settle, so verify again (exit code %d)", code)
	case ExitLeftOut:
		return fmt.Sprintf(" in what could be compared: more than a tenth was left out (exit code %d)", code)
	}
	return ""
}

// span spells the range that was compared.
func (r Report) span() string {
	in := " (" + r.Zone + ")"
	switch {
	case r.From == nil && r.To == nil:
		return "all times"
	case r.From == nil:
		return "before " + r.To.Format(time.RFC3339Nano) + in
	case r.To == nil:
		return "from " + r.From.Format(time.RFC3339Nano) + " on" + in
	}
	return "[" + r.From.Format(time.RFC3339Nano) + ", " + r.To.Format(time.RFC3339Nano) + ")" + in
}

// byKind spells how many items of each kind there are.
func byKind(n map[string]int64) string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(n)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, n[kind]))
	}
	return strings.Join(kinds, ", ")
}

// Finish puts the differences in an order that does not depend on that of the scans.
func (r *Report) Finish() {
	slices.SortStableFunc(r.Differences, func(a, b Difference) int {
		return slices.Compare([]string{a.PK, a.SK, a.Attribute}, []string{b.PK, b.SK, b.Attribute})
	})
	slices.Sort(r.Unsettled)
}

// Summary says briefly what an item holds.
func Summary(it sinks.Item) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(it)) {
		if v := it[name]; v.Kind() == sinks.Number && name != sinks.AttrSchema && name != sinks.AttrTTL {
			parts = append(parts, name+"="+v.Num().String())
		}
	}
	if parts == nil {
		return "present"
	}
	return strings.Join(parts, " ")
}
