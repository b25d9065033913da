package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// rangeHelp is said wherever a range is asked for.
const rangeHelp = `A range is half-open, [from, to). Its ends are RFC 3339 (2026-05-12T14:00:00Z), a date (its first instant in UTC),
an offset from now (-24h, -7d) or now. The answer says which range it used.`

func newQueryCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Ask the table for numbers",
		Long: `Read numbers, sessions and events from the table. Every answer is there as a table, as JSON and as CSV (--output).
Expired items are left out, and their number is said. A site that nobody has counted or created is an empty answer.

` + rangeHelp,
		Example: `  footfall query sites
  footfall query stats shop.example --from -7d --by day
  footfall query realtime shop.example --output json`,
	}
	cmd.AddCommand(newQuerySites(a), newQueryStats(a), newQueryUniques(a), newQueryRealtime(a), newQuerySessions(a),
		newQuerySession(a), newQueryEvents(a), newQuerySite(a), newQueryExplain(a))
	return cmd
}

func newQuerySites(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:     "sites",
		Short:   "List the sites of the table",
		Long:    "List the sites that were counted or created, by id, with their shards, retention and metadata.",
		Example: "  footfall query sites\n  footfall query sites --limit 1000 --output csv",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Sites(ctx, query.SitesParams{Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addPaging(cmd, false)
	return cmd
}

func newQueryStats(a *app) *cobra.Command {
	var q asker
	var by string
	cmd := &cobra.Command{
		Use:   "stats SITE",
		Short: "Figures of a site by hour or day, with totals",
		Long: `Print the figures of a site for every hour or day of a range that has any, and the totals of the range.
Events, page views and values belong to the bucket of their own time, sessions and what is derived from them to the
bucket in which they started. Visitors are merged, never added: those of a day are fewer than the sum of its hours.
The range is widened to whole buckets, in UTC.

` + rangeHelp,
		Example: "  footfall query stats shop.example\n  footfall query stats shop.example --from 2026-05-01 --to 2026-06-01 --by day --output json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Stats(ctx, query.StatsParams{Site: args[0], From: q.from, To: q.to, By: query.By(by), Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addRange(cmd, "-24h")
	q.addPaging(cmd, false)
	cmd.Flags().StringVar(&by, "by", string(query.Hour), "size of a bucket: hour or day")
	complete(cmd, "by", string(query.Hour), string(query.Day))
	return cmd
}

func newQueryUniques(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:   "uniques SITE",
		Short: "Distinct visitors of a site over a range",
		Long: `Print how many distinct visitors a site had in a range, merged from the sketches of its hours. Up to 1,024 visitors the
number is exact. The range is widened to whole hours, in UTC.

` + rangeHelp,
		Example: "  footfall query uniques shop.example --from 2026-05-01 --to 2026-06-01",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Uniques(ctx, query.UniquesParams{Site: args[0], From: q.from, To: q.to, Consistent: q.consistent})
			})
		},
	}
	q.addFlags(cmd)
	q.addRange(cmd, "-24h")
	return cmd
}

func newQueryRealtime(a *app) *cobra.Command {
	var q asker
	var at string
	var pages int
	cmd := &cobra.Command{
		Use:   "realtime SITE",
		Short: "Current visitors and active pages of a site",
		Long: `Print the page views, events, distinct visitors and busiest pages of the last five minutes of event time, and the
minutes one by one as far as they are kept (10 minutes). CSV has the first of these.`,
		Example: "  footfall query realtime shop.example\n  footfall query realtime shop.example --pages 50 --output json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				t, err := query.ParseTime(at, time.Now())
				if err != nil {
					return nil, err
				}
				return r.Realtime(ctx, query.RealtimeParams{Site: args[0], At: t, Pages: pages, Consistent: q.consistent})
			})
		},
	}
	q.addFlags(cmd)
	cmd.Flags().StringVar(&at, "at", "now", "the instant before which the five minutes lie")
	cmd.Flags().IntVar(&pages, "pages", 10, "active pages at most, up to 50")
	return cmd
}

func newQuerySessions(a *app) *cobra.Command {
	var q asker
	var user, visitor string
	cmd := &cobra.Command{
		Use:   "sessions SITE",
		Short: "Sessions of a site: recent ones, a user's, a visitor's",
		Long: `List sessions, the newest first, by when they were opened. Without --user and --visitor these are the recent ones: a
session is listed there for two days.

` + rangeHelp,
		Example: `  footfall query sessions shop.example --limit 20
  footfall query sessions shop.example --user u-123 --from -30d
  footfall query sessions shop.example --visitor v-456 --desc=false`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Sessions(ctx, query.SessionsParams{Site: args[0], User: user, Visitor: visitor, From: q.from, To: q.to,
					Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addRange(cmd, "")
	q.addPaging(cmd, true)
	cmd.Flags().StringVar(&user, "user", "", "sessions of this userId")
	cmd.Flags().StringVar(&visitor, "visitor", "", "sessions of this visitorId")
	cmd.MarkFlagsMutuallyExclusive("user", "visitor")
	return cmd
}

func newQuerySession(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:     "session SITE SESSION",
		Short:   "One session of a site",
		Long:    "Print a session by its sessionId, with what each partition of the topic saw of it.",
		Example: "  footfall query session shop.example s-789",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Session(ctx, query.SessionParams{Site: args[0], Session: args[1], Consistent: q.consistent})
			})
		},
	}
	q.addFlags(cmd)
	return cmd
}

func newQueryEvents(a *app) *cobra.Command {
	var q asker
	var session, eventType string
	cmd := &cobra.Command{
		Use:   "events SITE",
		Short: "Raw events of a site: a session's, or those of a range",
		Long: `List raw events by event time. With --session they are those of a session, from its first event to its last unless a range
is given; without it, those of a range (the last hour by default), merged from all shards of the site.

` + rangeHelp,
		Example: `  footfall query events shop.example --session s-789
  footfall query events shop.example --from 2026-05-12 --to 2026-05-13 --type page_view --output csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if session == "" && !cmd.Flags().Changed("from") {
				q.fromText = "-1h"
			}
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Events(ctx, query.EventsParams{Site: args[0], Session: session, Type: eventType, From: q.from, To: q.to,
					Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addRange(cmd, "")
	q.addPaging(cmd, false)
	cmd.Flags().StringVar(&session, "session", "", "events of this sessionId")
	cmd.Flags().StringVar(&eventType, "type", "", "events of this type, as in page_view")
	return cmd
}

func newQuerySite(a *app) *cobra.Command {
	cmd := newSiteShowCommand(a)
	cmd.Use = "site SITE"
	cmd.Example = "  footfall query site shop.example"
	return cmd
}

// asker is what all questions have in common: their flags, and how they are put to the table.
type asker struct {
	output           string
	consistent       bool
	fromText, toText string
	paging           query.Paging

	from, to time.Time // read from the texts by ask
}

func (q *asker) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&q.output, "output", "o", string(query.Table), "table, json or csv")
	cmd.Flags().BoolVar(&q.consistent, "consistent", false, "read strongly where the store can, at twice the cost")
	complete(cmd, "output", query.Formats...)
}

func (q *asker) addRange(cmd *cobra.Command, from string) {
	cmd.Flags().StringVar(&q.fromText, "from", from, "beginning of the range")
	cmd.Flags().StringVar(&q.toText, "to", "", "end of the range, which is not in it (default: open, or now)")
}

func (q *asker) addPaging(cmd *cobra.Command, desc bool) {
	cmd.Flags().IntVar(&q.paging.Limit, "limit", query.DefaultLimit, "rows at most")
	cmd.Flags().BoolVar(&q.paging.Desc, "desc", desc, "from the last to the first")
	cmd.Flags().StringVar(&q.paging.Cursor, "cursor", "", "go on behind the page that gave this cursor")
}

// ask opens the table, puts the question and prints the answer.
func (q *asker) ask(a *app, cmd *cobra.Command, question func(context.Context, *query.Reader) (query.Answer, error)) error {
	if err := query.Format(q.output).Check(); err != nil {
		return usagef("%w", err)
	}
	for _, end := range []struct {
		flag, text string
		t          *time.Time
	}{{"from", q.fromText, &q.from}, {"to", q.toText, &q.to}} {
		if end.text == "" {
			continue
		}
		t, err := query.ParseTime(end.text, time.Now())
		if err != nil {
			return usagef("--%s: %w", end.flag, err)
		}
		*end.t = t
	}
	return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
		answer, err := question(ctx, query.New(t, sinks.Keys{}, time.Now))
		if err == nil {
			err = query.Print(a.out, a.err, query.Format(q.output), answer)
		}
		if _, wrong := errors.AsType[*query.ParamError](err); wrong {
			return usagef("%w", err)
		}
		return err
	})
}

// withTable opens the configured table for use. Where use fails on the table itself, the error says what to do.
func (a *app) withTable(cmd *cobra.Command, use func(context.Context, *openedTable) error) (err error) {
	ctx := cmd.Context()
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	t, err := openTable(ctx, c.Table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err = use(ctx, t); err == nil || ctx.Err() != nil {
		return err
	}
	for _, cause := range []error{sinks.ErrNoTable, sinks.ErrDenied, sinks.ErrUnknownOutcome} {
		if errors.Is(err, cause) {
			if advice := checkTable(ctx, t, c.Table); advice != nil {
				return advice
			}
		}
	}
	return err
}

func complete(cmd *cobra.Command, flag string, values ...string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}
