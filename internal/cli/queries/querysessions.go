package queries

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

func newQueryRealtime(a *command.App) *cobra.Command {
	var q ask.Asker
	var pages int
	var bots bool
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "realtime SITE",
		Short: "Current visitors and active pages of a site",
		Long: `Print the page views, events, distinct visitors and busiest pages of the last five minutes of event time, in total and by
minute. CSV has the totals only. Minutes are kept for 10 minutes. Bots are detected only with lists here, the built-in ones and the
site's own, and not by their rate. Their events and page views are counted separately; --include-bots adds them.`,
		Example: "  footfall query realtime shop.example\n  footfall query realtime shop.example --pages 50 --output json",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Realtime(ctx, query.RealtimeParams{Site: args[0], At: q.At, Pages: pages, IncludeBots: bots, Consistent: q.Consistent})
	})
	cmd.Flags().StringVar(&q.AtText, "at", "now", "end of the five minutes; dates are in the site's own zone")
	cmd.Flags().IntVar(&pages, "pages", 10, "max. active pages, 1 to 50")
	ask.AddBots(cmd, &bots)
	return cmd
}

func newQuerySessions(a *command.App) *cobra.Command {
	var q ask.Asker
	var user, visitor string
	var where []string
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "sessions SITE",
		Short: "Sessions of a site: recent ones, a user's, a visitor's",
		Long: `List sessions by the event time of their first record in the log (openedAt), the newest first. The range is of these times, too. Without
--user and --visitor, the list has the sessions of the last two days. Older sessions are found by user or visitor. --visitor
reads the lists of the range, which name the sessions of other visitors too: about 24 to 28 read units per day and partition at flushes
of 300 s, and more at shorter ones. Name --from. A page ends early, with a cursor, after the hour
in which it has read 10,000 items of these lists. Bots that are detected by a list have no sessions.
A session that exceeded the rate is listed with the events that it had before.

--where DIMENSION=VALUE lists only sessions whose earliest event has the value; != is "is not", ~= "contains", ^= "begins with". Several
filters must all hold. Dimensions are those of footfall query top without page, event and properties, entry and exit, the entry and exit
page of the session, and goal, a goal that it has reached: goal=ID or goal!=ID. A page ends early, with a cursor, if few sessions pass.

` + ask.PeriodHelp + `

` + ask.DatesHelp + ` Times in the answer are in UTC.`,
		Example: `  footfall query sessions shop.example --limit 20
  footfall query sessions shop.example --user u-123 --from -30d
  footfall query sessions shop.example --visitor v-456 --desc=false`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		filters, err := q.Filters(ctx, where)
		if err != nil {
			return nil, err
		}
		return r.Sessions(ctx, query.SessionsParams{Site: args[0], User: user, Visitor: visitor, Where: filters, From: q.From, To: q.To,
			Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddRange(cmd, "")
	q.AddZone(cmd)
	q.AddPaging(cmd, true)
	cmd.Flags().StringVar(&user, "user", "", "only sessions of this userId")
	cmd.Flags().StringVar(&visitor, "visitor", "", "only sessions of this visitorId")
	cmd.Flags().StringArrayVar(&where, "where", nil, "filter, as in country=DE or referrer~=google; may be repeated")
	q.AddSegment(cmd)
	command.Exclude(cmd, "user", "visitor")
	q.RefuseBots(cmd)
	return cmd
}

func newQuerySession(a *command.App) *cobra.Command {
	var q ask.Asker
	return ask.Asking(a, &q, &cobra.Command{
		Use:   "session SITE SESSION",
		Short: "One session of a site",
		Long: `Print a session by its sessionId, with the part of each partition of the topic. Events without a sessionId belong to visits, which are
sessions with an id of the form ~visit-..., as query sessions lists them.`,
		Example: "  footfall query session shop.example s-789",
		Args:    cobra.ExactArgs(2),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Session(ctx, query.SessionParams{Site: args[0], Session: args[1], Consistent: q.Consistent})
	})
}

func newQueryEvents(a *command.App) *cobra.Command {
	var q ask.Asker
	var session, eventType string
	q.Check = func(f *pflag.FlagSet, _ []string) error {
		if session == "" && !f.Changed("from") && q.PeriodText == "" {
			q.FromText = "-1h"
		}
		return nil
	}
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "events SITE",
		Short: "Raw events of a site: a session's, or those of a range",
		Long: `List raw events by event time. With --session, list the events of a session, from first to last unless a range is given. Without
it, list the events of a range, by default of the last hour. Events of bots are marked with how they were detected; the events of a
visit include none of bots. If the range begins before the site's own retention, the answer says so.

An event is listed after the flush that counts it, 60 s by default (intervals.stats). With rawEvents: items it is listed as its record
arrives; if settings changed and a process crashed at the same time, one may be listed that was not counted in the end.

` + ask.PeriodHelp + `

` + ask.DatesHelp + ` Times in the answer are in UTC.`,
		Example: `  footfall query events shop.example --session s-789
  footfall query events shop.example --from 2026-05-12 --to 2026-05-13 --type page_view --output csv`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Events(ctx, query.EventsParams{Site: args[0], Session: session, Type: eventType, From: q.From, To: q.To,
			Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddRange(cmd, "")
	cmd.Flags().Lookup("from").Usage = "start of the range (default: -1h; with --session: open)"
	q.AddZone(cmd)
	q.AddPaging(cmd, false)
	cmd.Flags().StringVar(&session, "session", "", "only events of this sessionId or visit (~visit-...)")
	cmd.Flags().StringVar(&eventType, "type", "", "only events of this type, as in page_view")
	return cmd
}
