package manage

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/alerts/watch"
	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/query"
)

// whenHelp says what conditions are.
const whenHelp = `--when is one of
    ` + alerts.Forms + `
COUNT is a figure such as pageViews, sessions or uniqueVisitors, or "goal ID". DIMENSION is referrer, channel, utm_source or another one
that sessions have. drops is "< 75 % of usual", spikes "> 200 % of usual and at least 50", surges "> 300 % of usual and at least 50".

The usual is the same hour in the site's zone of the last four weeks, without the least and the greatest. An alert compares the last hour,
or as many of the last 24 as it takes: it fires only where chance is no explanation. On a site of 1,000 page views a day it finds a
drop of 60 % within hours; on one of 10, never. Once it has fired, it is quiet for 24 hours. It needs two weeks of figures.`

// NewAlertCommand is footfall alert.
func NewAlertCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "alert",
		Short: "Create, try, list and delete alerts of a site",
		Long: `An alert is a condition that footfall run judges each hour of a site by, some minutes after its end. What it finds is on the page of the
site, in footfall query alerts, and sent to a webhook.

` + whenHelp,
		Example: `  footfall alert try shop.example --when 'pageViews drops' --from -90d
  footfall alert create shop.example --when 'pageViews drops' --webhook https://hooks.example/footfall
  footfall alert create shop.example checkout --when 'goal bought stops'`,
	}
	cmd.AddCommand(newAlertCreate(a), newAlertTry(a), newAlertList(a), newAlertDelete(a))
	return cmd
}

// listed is since when findings are listed beside alerts.
func listed() time.Time { return time.Now().AddDate(0, 0, -28).Truncate(time.Minute) }

func newAlertCreate(a *command.App) *cobra.Command {
	var when, webhook string
	cmd := changing(a, &cobra.Command{
		Use:   "create SITE [NAME]",
		Short: "Create an alert",
		Long: `Create an alert. NAME is by default the condition. A site has at most 20 alerts.

` + whenHelp + `

--webhook is a URL of https, or of http on localhost, that gets each finding as JSON by POST, until it answers with a status of 2xx or a day
is over: at least once, with the same Webhook-Id. The processes need sites.alertKey; docs/serve.md says how to check the signature.`,
		Example: "  footfall alert create shop.example --when 'pageViews drops' --webhook https://hooks.example/footfall",
		Args:    cobra.RangeArgs(1, 2),
	}, func(_ *pflag.FlagSet, args []string) (change, error) {
		rule, err := alerts.Parse(when)
		if err != nil {
			return nil, fmt.Errorf("--when %w", err)
		}
		alert := alerts.Alert{Site: args[0], ID: rule.String(), Rule: rule, Webhook: webhook}
		if len(args) > 1 {
			alert.ID = args[1]
		}
		if err := alert.Validate(); err != nil {
			return nil, err
		}
		return func(ctx context.Context, t *connect.Table) (any, error) {
			r := query.New(t.Table, time.Now)
			if err := (watch.Counts{Reader: r}).CheckKnown(ctx, args[0], rule); err != nil {
				return nil, err
			}
			store := alerts.Store(writer(t))
			if _, err := store.Create(ctx, alert); err != nil {
				return nil, err
			}
			return r.Alerts(ctx, query.AlertsParams{Site: args[0], From: listed(), Consistent: true})
		}, nil
	})
	cmd.Flags().StringVar(&when, "when", "", "the condition, as in 'pageViews drops'")
	cmd.Flags().StringVar(&webhook, "webhook", "", "URL that findings are sent to (default: none)")
	cobra.CheckErr(cmd.MarkFlagRequired("when"))
	return cmd
}

func newAlertTry(a *command.App) *cobra.Command {
	var q ask.Asker
	var when string
	var rule alerts.Rule
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "try SITE",
		Short: "Print when an alert would have fired",
		Long: `Print in which hours of a range an alert of this condition would have fired. It changes nothing. A condition about a dimension is
tried with seven days by default, and at most.

` + whenHelp + "\n\n" + ask.RangeHelp + "\n\n" + ask.DatesHelp,
		Example: "  footfall alert try shop.example --when 'pageViews drops' --from -90d",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		counts := watch.Counts{Reader: r}
		if err := counts.CheckKnown(ctx, args[0], rule); err != nil {
			return nil, err
		}
		return counts.Try(ctx, args[0], rule, q.From, q.To, time.Now())
	})
	q.AddRange(cmd, "-28d")
	q.AddZone(cmd)
	q.Check = func(f *pflag.FlagSet, _ []string) (err error) {
		if rule, err = alerts.Parse(when); err != nil {
			return command.Usagef("--when %w", err)
		}
		if rule.Dimension != "" && !f.Changed("from") && q.PeriodText == "" {
			q.FromText = "-7d"
		}
		return nil
	}
	cmd.Flags().StringVar(&when, "when", "", "the condition, as in 'pageViews drops'")
	cobra.CheckErr(cmd.MarkFlagRequired("when"))
	return cmd
}

func newAlertList(a *command.App) *cobra.Command {
	var q ask.Asker
	return ask.Asking(a, &q, &cobra.Command{
		Use:     "list SITE",
		Short:   "List the alerts of a site",
		Long:    "List the alerts of a site, and what they found in the last 28 days.",
		Example: "  footfall alert list shop.example",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Alerts(ctx, query.AlertsParams{Site: args[0], From: listed(), Consistent: q.Consistent})
	})
}

func newAlertDelete(a *command.App) *cobra.Command {
	return deleting(a, &cobra.Command{
		Use:     "delete SITE NAME",
		Short:   "Delete an alert",
		Long:    "Delete an alert, by the name that footfall alert list prints. What it found stays.",
		Example: "  footfall alert delete shop.example 'pageViews drops'",
	}, alerts.Delete)
}
