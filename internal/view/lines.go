package view

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/footfall/footfall/internal/plural"
)

// Options say what is shown, and where.
type Options struct {
	Collect func(context.Context) (Snapshot, error)
	Every   time.Duration // between two snapshots
	Notes   []string      // lines that stand above the numbers
	In      io.Reader     // the terminal's keys; for Screen
	Out     io.Writer
	Width   func() int // columns of the terminal, for Lines; nil or 0: any number
}

func (o Options) width() int {
	if o.Width == nil {
		return 0
	}
	return o.Width()
}

// Lines writes a snapshot every now and then until ctx ends, and returns nil then. Otherwise it returns the error
// of what could not be read or written.
func Lines(ctx context.Context, o Options) error {
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	for _, note := range o.Notes {
		if _, err := fmt.Fprintln(o.Out, note); err != nil {
			return err
		}
	}
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		s, err := o.Collect(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = s.Write(o.Out, o.width())
		}
		if err != nil {
			return err
		}
	}
}

// Write writes the snapshot as aligned lines: one for all sites, one for the names of the columns, one a site. On a terminal of that many
// columns it leaves out columns that do not fit, see fit; 0: none.
func (s Snapshot) Write(w io.Writer, width int) error {
	names, cells := fit(s.rows(), width-2)
	rows := append([][]string{names}, cells...)
	widths := widthsOf(rows)
	var b strings.Builder
	b.WriteString(wrapped(s.headline(), width) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "  %-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(&b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// dispensable are the columns that a narrow terminal does without, the first to go first.
var dispensable = []string{"bounce rate", "events/s", "sessions", "events", "visitors", "now"}

// fit leaves columns out until the others fit a width, so that no number is cut. If that is not enough, ids of sites are shortened.
func fit(cells [][]string, width int) (names []string, rows [][]string) {
	names, rows = columns, cells
	total := func() (sum int) {
		for _, w := range widthsOf(append([][]string{names}, rows...)) {
			sum += w + 2
		}
		return sum - 2
	}
	for _, name := range dispensable {
		if width <= 0 || total() <= width {
			return names, rows
		}
		i := slices.Index(names, name)
		names = slices.Delete(slices.Clone(names), i, i+1)
		shorter := make([][]string, len(rows))
		for r, row := range rows {
			shorter[r] = slices.Delete(slices.Clone(row), i, i+1)
		}
		rows = shorter
	}
	if over := total() - width; over > 0 {
		widest := widthsOf(rows)[0]
		for _, row := range rows {
			row[0] = ansi.Truncate(row[0], max(1, widest-over), "…")
		}
	}
	return names, rows
}

// widthsOf are the widths of the columns.
func widthsOf(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// wrapped breaks a line between words where a terminal ends; 0: nowhere.
func wrapped(line string, width int) string {
	if width <= 0 {
		return line
	}
	return ansi.Wordwrap(line, width, "")
}

// headline sums up all sites. Visitors are not in it: those of two sites cannot be added.
func (s Snapshot) headline() string {
	var pageViews, events, sessions int64
	for _, site := range s.Sites {
		pageViews += site.PageViews
		events += site.Events
		sessions += site.Sessions
	}
	lag := ""
	if s.Lag >= 0 {
		lag = "; lag " + plural.Count(s.Lag, "record", "records")
	}
	sites := plural.Count(len(s.Sites), "site", "sites")
	if s.Unread {
		sites = "the first " + sites
	}
	return fmt.Sprintf("%s  last 24 hours, %s: %s (%.1f/s), %s, %s%s", s.At.UTC().Format("15:04:05Z"), sites,
		plural.Count(events, "event", "events"), s.PerSecond, plural.Count(pageViews, "page view", "page views"),
		plural.Count(sessions, "session", "sessions"), lag)
}

// columns are the names of a row's cells.
var columns = []string{"site", "page views", "events", "sessions", "bounce rate", "visitors", "now", "events/s"}

// rows are the cells of each site.
func (s Snapshot) rows() [][]string {
	rows := make([][]string, len(s.Sites))
	for i, site := range s.Sites {
		bounce, visitors := "-", "-"
		if site.BounceRate != nil {
			bounce = strconv.FormatFloat(100**site.BounceRate, 'f', 1, 64) + " %"
		}
		if site.UniqueVisitors != nil {
			visitors = strconv.FormatUint(*site.UniqueVisitors, 10)
		}
		rows[i] = []string{
			printable(site.ID), strconv.FormatInt(site.PageViews, 10), strconv.FormatInt(site.Events, 10), strconv.FormatInt(site.Sessions, 10),
			bounce, visitors, strconv.FormatUint(site.Current, 10), strconv.FormatFloat(site.PerSecond, 'f', 1, 64),
		}
	}
	return rows
}

// printable spells an id that anybody may have sent so that it cannot write elsewhere on the screen, cut at a
// length that leaves room for the numbers.
func printable(id string) string {
	const most = 40
	q := strconv.QuoteToGraphic(id)
	if q == `"`+id+`"` {
		q = id
	}
	if utf8.RuneCountInString(q) > most {
		q = string([]rune(q)[:most-1]) + "…"
	}
	return q
}
