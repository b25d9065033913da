package view

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Options say what is shown, and where.
type Options struct {
	Collect func(context.Context) (Snapshot, error)
	Every   time.Duration // between two snapshots
	Notes   []string      // lines that stand above the numbers
	In      io.Reader     // the terminal's keys; for Screen
	Out     io.Writer
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
			err = s.Write(o.Out)
		}
		if err != nil {
			return err
		}
	}
}

// Write writes the snapshot as aligned lines: one for all sites, one for the names of the columns, one a site.
func (s Snapshot) Write(w io.Writer) error {
	rows := append([][]string{columns}, s.rows()...)
	widths := make([]int, len(columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	b.WriteString(s.headline() + "\n")
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
		lag = fmt.Sprintf("; lag %d records", s.Lag)
	}
	sites := strconv.Itoa(len(s.Sites))
	if s.Unread {
		sites = "the first " + sites
	}
	return fmt.Sprintf("%s  last 24 hours, %s sites: %d events (%.1f/s), %d page views, %d sessions%s",
		s.At.UTC().Format("15:04:05Z"), sites, events, s.PerSecond, pageViews, sessions, lag)
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
