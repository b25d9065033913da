package queries

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

// whereHelp is said wherever filters can be given.
const whereHelp = `--where DIMENSION=VALUE restricts the answer to what has the value; != is "is not", ~= "contains" and ^= "begins with".
An empty value selects what has none (=) or any (!=): referrer= is visits without one. Commas separate several values: country=AT,DE is
either, country!=AT,DE neither. Quote a value with a comma: 'city="Washington, D.C."'. Several filters must all hold. Dimensions are those
of footfall query top, entry and exit for the entry and exit page of a session, goal for a goal that it reaches within the range (goal=ID or
goal!=ID), type for the type of an event, and property:KEY for any property. A single filter with = is answered from breakdowns, with their
accuracy, except by entry, exit, goal and type. All others, and --exact, are computed from raw events, which must be kept for the range and
two hours before and after it. --estimate shows what that costs without reading them; --max-events bounds it. A filter by page, event, type
or property selects events, and figures of sessions are unknown; all others select sessions.`

// whereFlags are the flags of filters.
type whereFlags struct {
	*ask.Asker      // puts the question
	texts           []string
	exact, estimate bool
	maxEvents       int
	without         []string // flags that do not go with filters
	always          bool     // the question is answered from raw events, also without filters, because of its dimension
	dimension       string   // of rows
}

func (w *whereFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	w.AddSegment(cmd)
	f.StringArrayVar(&w.texts, "where", nil, "filter, as in country=DE, browser!=Chrome, referrer~=google or page^=/docs/; may be repeated")
	f.BoolVar(&w.exact, "exact", false, "with --where: compute from raw events also what breakdowns can answer")
	f.BoolVar(&w.estimate, "estimate", false, "with --where: show what reading raw events costs, without reading them")
	f.IntVar(&w.maxEvents, "max-events", query.DefaultMaxFilterEvents, "with --where: max. packed raw events read; an event that is an item "+
		"of its own counts as four")
}

// asked reports whether there are filters, or the question is answered as if there were.
func (w *whereFlags) asked() bool { return len(w.texts) > 0 || w.Segmented() || w.always }

// check refuses flags that make no sense with filters, or without.
func (w *whereFlags) check(f *pflag.FlagSet) error {
	names := w.without
	if !w.asked() {
		names = []string{"exact", "estimate", "max-events"}
	}
	for _, name := range names {
		switch {
		case !f.Changed(name):
		case w.asked():
			return command.Usagef("--%s: it cannot be given together with %s", name, w.reason())
		default:
			return command.Usagef("--%s: add --where or --segment, or leave it out", name)
		}
	}
	if f.Changed("max-events") && w.maxEvents < 1 {
		return command.Usagef("--max-events %d: choose 1 or more", w.maxEvents)
	}
	return nil
}

// reason is what has raw events be read.
func (w *whereFlags) reason() string {
	if len(w.texts) > 0 {
		return "--where"
	}
	if w.Segmented() {
		return "--segment"
	}
	return "the dimension " + w.dimension
}

// announcedEvents is the number of raw events from which the cost is printed before they are read.
const announcedEvents = 1_000_000

// params returns the filters. What reading many raw events will cost goes to notes.
func (w *whereFlags) params(ctx context.Context, notes io.Writer) (p query.FilterParams, err error) {
	p = query.FilterParams{Exact: w.exact, EstimateOnly: w.estimate, MaxEvents: w.maxEvents}
	if p.Where, err = w.Filters(ctx, w.texts); err != nil {
		return p, err
	}
	p.OnEstimate = func(c query.FilterCost) error {
		if c.EventsEstimated < announcedEvents {
			return nil
		}
		_, err := fmt.Fprintf(notes, "reading about %d raw events, for about %.0f read units\n", c.EventsEstimated, c.ReadUnitsEstimated)
		return err
	}
	return p, nil
}
