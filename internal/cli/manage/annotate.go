package manage

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/query"
)

// NewAnnotateCommand is footfall annotate.
func NewAnnotateCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "annotate",
		Short: "Create, list and delete annotations of a site's graph",
		Long: `An annotation is a note about an instant of a site, such as a release or an outage. The page of the site shows it on the graph and as a
list. Everyone who may read the figures may read it, share links included, so it should not name a person. footfall site delete removes a
site's annotations; footfall erase those that name the id of the person.`,
		Example: "  footfall annotate create shop.example 'New checkout' --at 2026-05-12T14:00:00Z\n" +
			"  footfall annotate list shop.example --from -28d",
	}
	cmd.AddCommand(newAnnotateCreate(a), newAnnotateList(a), newAnnotateDelete(a))
	return cmd
}

func newAnnotateCreate(a *command.App) *cobra.Command {
	var at, zone string
	cmd := changing(a, &cobra.Command{
		Use:   "create SITE TEXT",
		Short: "Create an annotation",
		Long: "Create an annotation. The text has at most 1,000 bytes. A site has at most 1,000 annotations.\n\n" +
			"--at is" + ask.InstantHelp + "\n\n" + ask.DatesHelp,
		Example: "  footfall annotate create shop.example 'New checkout' --at 2026-05-12T14:00:00Z",
		Args:    cobra.ExactArgs(2),
	}, func(_ *pflag.FlagSet, args []string) (change, error) {
		q := ask.Asker{Site: args[0], AtText: at, ZoneText: zone}
		now := time.Now()
		if err := q.ReadUnsited(now); err != nil {
			return nil, err
		}
		return func(ctx context.Context, t *connect.Table) (any, error) {
			if q.OfSite() {
				if _, err := q.ReadSited(ctx, query.New(t.Table, time.Now), now); err != nil {
					return nil, err
				}
			}
			if err := (annotations.Annotation{Site: args[0], At: q.At.UTC(), Text: args[1]}).Validate(); err != nil {
				return nil, command.Usagef("%w", err)
			}
			store := annotations.Store(writer(t))
			created, err := store.Create(ctx, args[0], q.At, args[1])
			if err != nil {
				return nil, err
			}
			return query.ReadAnnotation(created.Item())
		}, nil
	})
	cmd.Flags().StringVar(&at, "at", "now", "the instant")
	cmd.Flags().StringVar(&zone, "tz", "", "time zone of dates, as in Europe/Berlin (default: the site's own)")
	return cmd
}

func newAnnotateList(a *command.App) *cobra.Command {
	var q ask.Asker
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:     "list SITE",
		Short:   "List the annotations of a site",
		Long:    "List the annotations of a site by their instants, the newest first.\n\n" + ask.RangeHelp + "\n\n" + ask.DatesHelp,
		Example: "  footfall annotate list shop.example --from -28d",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Annotations(ctx, query.AnnotationsParams{Site: args[0], From: q.From, To: q.To, Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddRange(cmd, "")
	q.AddZone(cmd)
	q.AddPaging(cmd, true)
	return cmd
}

func newAnnotateDelete(a *command.App) *cobra.Command {
	return deleting(a, &cobra.Command{
		Use:     "delete SITE ID",
		Short:   "Delete an annotation",
		Long:    "Delete an annotation, by the id that footfall annotate list prints.",
		Example: "  footfall annotate delete shop.example 01KRE3M8R0ABCDEFGHJKMNPQRS",
	}, annotations.Delete)
}
