// Package ask puts questions to the table: the flags that questions share (range, zone, paging, output), how instants are read in a
// site's zone, and what to say of an unknown site.
package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// Asker is what all questions have in common: their flags, and how they are put to the table.
type Asker struct {
	Output           show.Format
	csvRaw           bool
	columns          []string
	wide             bool
	Consistent       bool
	FromText, ToText string
	PeriodText       string
	wholeHours       bool // the answer is made of whole hours: -24h is 24 of them
	figures          bool // the answer has figures of the range, which must have begun
	AtText           string
	ZoneText         string
	Site             string // whose zone holds where none is named; "": UTC does
	Paging           query.Paging
	segment          string                                      // the question is under its filters; "": none
	Check            func(f *pflag.FlagSet, args []string) error // refuses what cannot be asked, before anything is opened; nil: nothing

	From, To, At time.Time      // read from the texts by ask
	Unit         query.By       // of the calendar that the range is, if it is a period
	Zone         *time.Location // nil: the site's own
	Table        sinks.Table    // while a question is put to it
}

func (q *Asker) addFlags(cmd *cobra.Command) {
	command.AddOutput(cmd, &q.Output, show.Table, show.JSON, show.NDJSON, show.CSV)
	cmd.Flags().BoolVar(&q.csvRaw, "csv-raw", false, "with --output csv: do not quote formulas or escape control characters")
	cmd.Flags().StringSliceVar(&q.columns, "columns", nil,
		"columns to show, in this order: their names in CSV, separated by commas")
	cmd.Flags().BoolVar(&q.wide, "wide", false, "show all columns, also where they do not fit the terminal")
	cmd.Flags().BoolVar(&q.Consistent, "consistent", false, "use strongly consistent reads, at twice the cost")
}

// Asking makes cmd put one question to the table: what question makes of the arguments, with the site first. It adds the
// flags that all questions have.
func Asking(a *command.App, q *Asker, cmd *cobra.Command, question func(ctx context.Context, r *query.Reader, args []string) (any,
	error)) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range []string{"limit", "pages"} { // 0 is the default of the package.
			if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "0" {
				return command.Usagef("--%s 0: write the %s, or leave it out", name, f.Usage)
			}
		}
		if len(args) > 0 {
			q.Site = args[0]
		}
		if q.Check != nil {
			if err := q.Check(cmd.Flags(), args); err != nil {
				return err
			}
		}
		return q.Ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) { return question(ctx, r, args) })
	}
	q.addFlags(cmd)
	return cmd
}

// Layout is how the answer is printed on a.Out.
func (q *Asker) Layout(a *command.App) show.Layout {
	l := a.Layout(q.Output)
	l.Columns, l.Remedy = q.columns, "--wide shows all, --columns those you name."
	if q.csvRaw && q.Output == show.CSV {
		l.Format = show.CSVRaw
	}
	if q.wide {
		l.Width = 0
	}
	return l
}

// AddRange adds the flags of a range. from is the default of its start; "": it is open.
func (q *Asker) AddRange(cmd *cobra.Command, from string) {
	q.figures = from != ""
	start, end := "start of the range", "now"
	if !q.figures {
		start, end = "start of the range (default: open)", "open"
	}
	cmd.Flags().StringVar(&q.FromText, "from", from, start)
	cmd.Flags().StringVar(&q.ToText, "to", "", "end of the range, exclusive (default: "+end+")")
	cmd.Flags().StringVar(&q.PeriodText, "period", "", "range by name, instead of --from and --to: "+strings.Join(query.Periods, ", ")+
		", a date, a month (2026-05) or a year")
	command.Exclude(cmd, "period", "from")
	command.Exclude(cmd, "period", "to")
	command.Complete(cmd, "period", query.Periods...)
}

// AddHours is AddRange for an answer that is made of whole hours.
func (q *Asker) AddHours(cmd *cobra.Command, from string) {
	q.AddRange(cmd, from)
	q.wholeHours = true
}

// AddZone adds the flag of the time zone.
func (q *Asker) AddZone(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.ZoneText, "tz", "", "time zone of days and dates, as in Europe/Berlin (default: the site's own)")
}

// AddPaging adds the flags of an answer that comes in pages. desc is the default order.
func (q *Asker) AddPaging(cmd *cobra.Command, desc bool) {
	cmd.Flags().IntVar(&q.Paging.Limit, "limit", query.DefaultLimit, fmt.Sprintf("max. rows, 1 to %d", query.MaxLimit))
	cmd.Flags().BoolVar(&q.Paging.Desc, "desc", desc, "descending order")
	cmd.Flags().StringVar(&q.Paging.Cursor, "cursor", "", "continue after the page that returned this cursor")
	command.MayBeEmpty(cmd.Flags(), "cursor") // As a loop over pages begins.
}

// SegmentHelp is the help of the flag that AddSegment adds.
const SegmentHelp = "name of a segment of the site (see footfall segment list); --where adds filters"

// AddSegment adds the flag of the segment whose filters a question is under.
func (q *Asker) AddSegment(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.segment, "segment", "", SegmentHelp)
}

// Segmented reports whether the question is under a segment.
func (q *Asker) Segmented() bool { return q.segment != "" }

// Filters are those of the segment, and of --where.
func (q *Asker) Filters(ctx context.Context, where []string) ([]query.Condition, error) {
	texts, err := segments.Under(ctx, q.Table, q.Site, q.segment, where)
	if err != nil {
		return nil, err
	}
	return query.ParseConditions(texts)
}

// IncludeBots is the flag that AddBots adds.
const IncludeBots = "include-bots"

// AddBots adds the flag that counts bots, too.
func AddBots(cmd *cobra.Command, bots *bool) {
	cmd.Flags().BoolVar(bots, IncludeBots, false, "add bots to events, page views and values")
}

// RefuseBots takes the flag where it can mean nothing, to say so.
func (q *Asker) RefuseBots(cmd *cobra.Command) {
	var bots bool
	AddBots(cmd, &bots)
	cobra.CheckErr(cmd.Flags().MarkHidden(IncludeBots))
	check := q.Check
	q.Check = func(f *pflag.FlagSet, args []string) error {
		if bots {
			return command.Usagef("--%s: bots that are detected by a list have no sessions, and those detected by their rate are listed "+
				"with what they did before; footfall query stats --%s and query events have the events of bots", IncludeBots, IncludeBots)
		}
		if check == nil {
			return nil
		}
		return check(f, args)
	}
}

// Ask opens the table, puts the question and prints the answer.
func (q *Asker) Ask(a *command.App, cmd *cobra.Command, question func(context.Context, *query.Reader) (any, error)) error {
	layout := q.Layout(a)
	if err := layout.Check(); err != nil {
		return Blame(err)
	}
	return q.WithReader(a, cmd, func(ctx context.Context, r *query.Reader) error {
		ctx = query.OfOneGeneration(ctx)
		answer, err := question(ctx, r)
		if err == nil {
			err = a.Show(layout, answer)
		}
		if err == nil {
			err = q.Unknown(ctx, r, answer, layout.Format)
		}
		return err
	})
}

// WithReader opens the table, reads the instants of the question, and runs f.
func (q *Asker) WithReader(a *command.App, cmd *cobra.Command, f func(context.Context, *query.Reader) error) error {
	now := time.Now()
	if err := q.ReadUnsited(now); err != nil {
		return err
	}
	return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
		r := query.New(t.Table, time.Now)
		q.Table = t.Table
		if q.OfSite() {
			if _, err := q.ReadSited(ctx, r, now); err != nil {
				return err
			}
		}
		if err := q.checkBegun(now); err != nil {
			return Blame(err)
		}
		return Blame(f(ctx, r))
	})
}

// checkBegun refuses figures of the future. Dates of several sites begin earlier in some zones.
func (q *Asker) checkBegun(now time.Time) error {
	if !q.figures || q.Site == "" && q.Zone == nil {
		return nil
	}
	param, value := "from", q.FromText
	if q.PeriodText != "" {
		param, value = "period", q.PeriodText
	}
	return query.Range{From: q.From, To: q.To}.CheckBegun(now, param, value)
}

// Blame makes an error of the command line of what cannot be asked; other errors stay.
func Blame(err error) error {
	if _, wrong := errors.AsType[*query.ParamError](err); wrong {
		return command.Usagef("%w", err)
	}
	return err
}

// ReadUnsited reads the instants in the zone that is named, or in UTC. It refuses what is no instant before anything is opened.
func (q *Asker) ReadUnsited(now time.Time) error {
	loc := time.UTC
	if q.ZoneText != "" {
		zone, err := query.ParseZone(q.ZoneText)
		if err != nil {
			return command.Usagef("%w", err)
		}
		q.Zone, loc = zone, zone
	}
	return q.readTimes(dating{
		time:   func(s string) (time.Time, error) { return query.ParseTimeIn(s, now, loc) },
		start:  func(s string) (time.Time, error) { return query.ParseStartIn(s, now, loc) },
		period: func(s string) (query.Range, error) { return query.ParsePeriodIn(s, now, loc) },
	})
}

// OfSite reports whether the instants are to be read again, in the zone of the site.
func (q *Asker) OfSite() bool { return q.Zone == nil && q.Site != "" && q.named() }

// ReadSited reads the instants again, in the zone of the site.
func (q *Asker) ReadSited(ctx context.Context, r *query.Reader, now time.Time) (query.Dates, error) {
	dates, err := r.Dates(ctx, q.Site)
	if err != nil {
		return dates, Blame(err)
	}
	return dates, q.readTimes(dating{
		time:   func(s string) (time.Time, error) { return dates.Parse(s, now) },
		start:  func(s string) (time.Time, error) { return dates.ParseStart(s, now) },
		period: func(s string) (query.Range, error) { return dates.Period(s, now) },
	})
}

// named reports whether an instant is named that may depend on a zone. To find a site's costs a read, which realtime, asked
// every few seconds, need not make.
func (q *Asker) named() bool {
	return q.PeriodText != "" || q.FromText != "" || q.ToText != "" || q.AtText != "" && q.AtText != "now"
}

// A dating reads instants and periods of one zone.
type dating struct {
	time, start func(s string) (time.Time, error)
	period      func(s string) (query.Range, error)
}

// readTimes reads the instants that are named.
func (q *Asker) readTimes(in dating) error {
	start := in.time
	if q.wholeHours {
		start = in.start
	}
	for _, named := range []struct {
		flag, text string
		t          *time.Time
		parse      func(s string) (time.Time, error)
	}{{"from", q.FromText, &q.From, start}, {"to", q.ToText, &q.To, in.time}, {"at", q.AtText, &q.At, in.time}} {
		if named.text == "" {
			continue
		}
		t, err := named.parse(named.text)
		if err != nil {
			return command.Usagef("--%s: %w", named.flag, err)
		}
		*named.t = t
	}
	if q.PeriodText == "" {
		return q.checkSkipped()
	}
	r, err := in.period(q.PeriodText)
	if err != nil {
		return command.Usagef("--%w", err) // The error names the flag, period.
	}
	q.From, q.To, q.Unit = r.From, r.To, r.Unit
	return nil
}

// checkSkipped refuses a range of dates that is empty because the zone has none of them.
func (q *Asker) checkSkipped() error {
	from, err1 := time.Parse(time.DateOnly, q.FromText)
	to, err2 := time.Parse(time.DateOnly, q.ToText)
	if err1 != nil || err2 != nil || !from.Before(to) || q.From.Before(q.To) {
		return nil
	}
	return command.Usagef("--from %s, --to %s: there are no such days: the time zone changes then, and skips them", q.FromText, q.ToText)
}

// Unknown is UnknownSite, with the names of sites that may be meant. It returns the exit code also of an answer about an unknown
// session or goal.
func (q *Asker) Unknown(ctx context.Context, r *query.Reader, answer any, f show.Format) error {
	if s, ok := answer.(interface{ UnknownSession() bool }); ok && s.UnknownSession() {
		return &command.ExitError{Code: command.CodeUnknown,
			Err: errors.New("the session is not known: it was not counted, or it has expired: footfall query sessions " +
				"lists recent sessions, and those of a visitor or user")}
	}
	conversions, _ := answer.(query.ConversionsAnswer)
	goal, isGoal := answer.(query.GoalAnswer)
	if conversions.UnknownGoal() || isGoal && goal.SiteKnown && goal.Goal == nil {
		return &command.ExitError{Code: command.CodeUnknown,
			Err: errors.New("the site has no such goal: footfall goal list lists its goals")}
	}
	err := UnknownSite(answer, f)
	if err == nil || q.Site == "" {
		return err
	}
	known, failed := SiteNames(ctx, r)
	if failed != nil {
		return failed
	}
	if names := near.Of(q.Site, known); names != nil {
		return &command.ExitError{Code: command.CodeUnknown,
			Err: errors.New("site " + q.Site + ": did you mean " + strings.Join(names, " or ") + "?")}
	}
	return err
}
