package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// asker is what all questions have in common: their flags, and how they are put to the table.
type asker struct {
	output           show.Format
	csvRaw           bool
	columns          []string
	wide             bool
	consistent       bool
	fromText, toText string
	periodText       string
	wholeHours       bool // the answer is made of whole hours: -24h is 24 of them
	atText           string
	zoneText         string
	site             string // whose zone holds where none is named; "": UTC does
	paging           query.Paging
	check            func(f *pflag.FlagSet, args []string) error // refuses what cannot be asked, before anything is opened; nil: nothing

	from, to, at time.Time      // read from the texts by ask
	unit         query.By       // of the calendar that the range is, if it is a period
	zone         *time.Location // nil: the site's own
}

func (q *asker) addFlags(cmd *cobra.Command) {
	addOutput(cmd, &q.output, show.Table, show.JSON, show.NDJSON, show.CSV)
	cmd.Flags().BoolVar(&q.csvRaw, "csv-raw", false, "with --output csv: do not quote formulas or escape control characters")
	cmd.Flags().StringSliceVar(&q.columns, "columns", nil,
		"show these columns alone, in this order, by their names in CSV: pageViews,bounceRate")
	cmd.Flags().BoolVar(&q.wide, "wide", false, "show all columns, also where they do not fit the terminal")
	cmd.Flags().BoolVar(&q.consistent, "consistent", false, "use strongly consistent reads, at twice the cost")
}

// asking makes cmd put one question to the table: what question makes of the arguments, with the site first. It adds the
// flags that all questions have.
func (a *app) asking(q *asker, cmd *cobra.Command, question func(ctx context.Context, r *query.Reader, args []string) (any,
	error)) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range []string{"limit", "pages"} { // 0 is the default of the package.
			if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "0" {
				return usagef("--%s 0: it is the %s", name, f.Usage)
			}
		}
		if len(args) > 0 {
			q.site = args[0]
		}
		if q.check != nil {
			if err := q.check(cmd.Flags(), args); err != nil {
				return err
			}
		}
		return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) { return question(ctx, r, args) })
	}
	q.addFlags(cmd)
	return cmd
}

// layout is how the answer is printed on a.out.
func (q *asker) layout(a *app) show.Layout {
	l := a.layout(q.output)
	l.Columns, l.Remedy = q.columns, "--wide shows all, --columns those you name."
	if q.csvRaw && q.output == show.CSV {
		l.Format = show.CSVRaw
	}
	if q.wide {
		l.Width = 0
	}
	return l
}

func (q *asker) addRange(cmd *cobra.Command, from string) {
	start, end := "start of the range", "now"
	if from == "" {
		start, end = "start of the range (default: open)", "open"
	}
	cmd.Flags().StringVar(&q.fromText, "from", from, start)
	cmd.Flags().StringVar(&q.toText, "to", "", "end of the range, exclusive (default: "+end+")")
	cmd.Flags().StringVar(&q.periodText, "period", "", "range by name, instead of --from and --to: "+strings.Join(query.Periods, ", ")+
		", a date, a month (2026-05) or a year")
	exclude(cmd, "period", "from")
	exclude(cmd, "period", "to")
	complete(cmd, "period", query.Periods...)
}

// addHours is addRange for an answer that is made of whole hours.
func (q *asker) addHours(cmd *cobra.Command, from string) {
	q.addRange(cmd, from)
	q.wholeHours = true
}

func (q *asker) addZone(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.zoneText, "tz", "", "time zone of days and dates, as in Europe/Berlin (default: the site's own)")
}

func (q *asker) addPaging(cmd *cobra.Command, desc bool) {
	cmd.Flags().IntVar(&q.paging.Limit, "limit", query.DefaultLimit, fmt.Sprintf("max. rows, 1 to %d", query.MaxLimit))
	cmd.Flags().BoolVar(&q.paging.Desc, "desc", desc, "descending order")
	cmd.Flags().StringVar(&q.paging.Cursor, "cursor", "", "continue after the page that returned this cursor")
	mayBeEmpty(cmd.Flags(), "cursor") // As a loop over pages begins.
}

const includeBots = "include-bots"

func addBots(cmd *cobra.Command, bots *bool) {
	cmd.Flags().BoolVar(bots, includeBots, false, "add bots to events, page views and values")
}

// refuseBots takes the flag where it can mean nothing, to say so.
func (q *asker) refuseBots(cmd *cobra.Command) {
	var bots bool
	addBots(cmd, &bots)
	cobra.CheckErr(cmd.Flags().MarkHidden(includeBots))
	check := q.check
	q.check = func(f *pflag.FlagSet, args []string) error {
		if bots {
			return usagef("--%s: bots that are detected by a list have no sessions, and those detected by their rate are listed with what they "+
				"did before; footfall query stats --%s and query events have the events of bots", includeBots, includeBots)
		}
		if check == nil {
			return nil
		}
		return check(f, args)
	}
}

// ask opens the table, puts the question and prints the answer.
func (q *asker) ask(a *app, cmd *cobra.Command, question func(context.Context, *query.Reader) (any, error)) error {
	layout := q.layout(a)
	if err := layout.Check(); err != nil {
		return blame(err)
	}
	return q.withReader(a, cmd, func(ctx context.Context, r *query.Reader) error {
		answer, err := question(ctx, r)
		if err == nil {
			err = a.show(layout, answer)
		}
		if err == nil {
			err = q.unknown(ctx, r, answer, layout.Format)
		}
		return err
	})
}

// withReader opens the table, reads the instants of the question, and runs f.
func (q *asker) withReader(a *app, cmd *cobra.Command, f func(context.Context, *query.Reader) error) error {
	now := time.Now()
	if err := q.readUnsited(now); err != nil {
		return err
	}
	return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
		r := query.New(t.Table, sinks.Keys{}, time.Now)
		if q.ofSite() {
			if _, err := q.readSited(ctx, r, now); err != nil {
				return err
			}
		}
		return blame(f(ctx, r))
	})
}

// blame makes an error of the command line of what cannot be asked; other errors stay.
func blame(err error) error {
	if _, wrong := errors.AsType[*query.ParamError](err); wrong {
		return usagef("%w", err)
	}
	return err
}

// readUnsited reads the instants in the zone that is named, or in UTC. It refuses what is no instant before anything is opened.
func (q *asker) readUnsited(now time.Time) error {
	loc := time.UTC
	if q.zoneText != "" {
		zone, err := query.ParseZone(q.zoneText)
		if err != nil {
			return usagef("%w", err)
		}
		q.zone, loc = zone, zone
	}
	return q.readTimes(dating{
		time:   func(s string) (time.Time, error) { return query.ParseTimeIn(s, now, loc) },
		start:  func(s string) (time.Time, error) { return query.ParseStartIn(s, now, loc) },
		period: func(s string) (query.Range, error) { return query.ParsePeriodIn(s, now, loc) },
	})
}

// ofSite reports whether the instants are to be read again, in the zone of the site.
func (q *asker) ofSite() bool { return q.zone == nil && q.site != "" && q.named() }

// readSited reads the instants again, in the zone of the site.
func (q *asker) readSited(ctx context.Context, r *query.Reader, now time.Time) (query.Dates, error) {
	dates, err := r.Dates(ctx, q.site)
	if err != nil {
		return dates, blame(err)
	}
	return dates, q.readTimes(dating{
		time:   func(s string) (time.Time, error) { return dates.Parse(s, now) },
		start:  func(s string) (time.Time, error) { return dates.ParseStart(s, now) },
		period: func(s string) (query.Range, error) { return dates.Period(s, now) },
	})
}

// named reports whether an instant is named that may depend on a zone. To find a site's costs a read, which realtime, asked
// every few seconds, need not make.
func (q *asker) named() bool {
	return q.periodText != "" || q.fromText != "" || q.toText != "" || q.atText != "" && q.atText != "now"
}

// A dating reads instants and periods of one zone.
type dating struct {
	time, start func(s string) (time.Time, error)
	period      func(s string) (query.Range, error)
}

// readTimes reads the instants that are named.
func (q *asker) readTimes(in dating) error {
	start := in.time
	if q.wholeHours {
		start = in.start
	}
	for _, named := range []struct {
		flag, text string
		t          *time.Time
		parse      func(s string) (time.Time, error)
	}{{"from", q.fromText, &q.from, start}, {"to", q.toText, &q.to, in.time}, {"at", q.atText, &q.at, in.time}} {
		if named.text == "" {
			continue
		}
		t, err := named.parse(named.text)
		if err != nil {
			return usagef("--%s: %w", named.flag, err)
		}
		*named.t = t
	}
	if q.periodText == "" {
		return q.checkSkipped()
	}
	r, err := in.period(q.periodText)
	if err != nil {
		return usagef("--%w", err) // The error names the flag, period.
	}
	q.from, q.to, q.unit = r.From, r.To, r.Unit
	return nil
}

// checkSkipped refuses a range of dates that is empty because the zone has none of them.
func (q *asker) checkSkipped() error {
	from, err1 := time.Parse(time.DateOnly, q.fromText)
	to, err2 := time.Parse(time.DateOnly, q.toText)
	if err1 != nil || err2 != nil || !from.Before(to) || q.from.Before(q.to) {
		return nil
	}
	return usagef("--from %s, --to %s: there are no such days: the time zone changes then, and skips them", q.fromText, q.toText)
}
