package manage

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/query"
)

// NewSegmentCommand is footfall segment.
func NewSegmentCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "segment",
		Short: "Create, list and delete segments: filters that are saved with a name",
		Long: `A segment is a named set of filters of a site. --segment NAME applies them: in footfall query, report, funnel report and share create,
as segment=NAME in the API, and in a menu of the page. Each question reads the segment as it is then. A share link gets a copy of
its filters when it is created: later changes of the segment do not change the link.

Segments decide nothing in the pipeline. Everyone who may read all figures of the site may read them, so they should not name a person.`,
		Example: "  footfall segment create shop.example german-phones --where country=DE --where device=mobile\n" +
			"  footfall query stats shop.example --period 28d --segment german-phones",
	}
	cmd.AddCommand(newSegmentCreate(a), newSegmentList(a), newSegmentShow(a), newSegmentDelete(a))
	return cmd
}

func newSegmentCreate(a *command.App) *cobra.Command {
	var where []string
	cmd := changing(a, &cobra.Command{
		Use:   "create SITE SEGMENT",
		Short: "Create a segment of a site",
		Long: fmt.Sprintf(`Create a segment with a name of up to 64 letters, digits, dots, dashes and underscores. It has 1 to %d filters, spelled as
in footfall query. A site has at most %d segments. Creating a segment again with the same filters has no effect; to change one, delete it first.`,
			query.MaxConditions, segments.MaxPerSite),
		Example: `  footfall segment create shop.example german-phones --where country=DE --where device=mobile
  footfall segment create shop.example docs --where 'page^=/docs/'`,
		Args: cobra.ExactArgs(2),
	}, func(_ *pflag.FlagSet, args []string) (change, error) {
		return func(ctx context.Context, t *connect.Table) (any, error) {
			store := segments.Store(writer(t))
			return store.Create(ctx, args[0], args[1], where)
		}, segments.Segment{Name: args[1], Where: where}.Validate()
	})
	cmd.Flags().StringArrayVar(&where, "where", nil, "filter, as in country=DE, browser!=Chrome, referrer~=google or page^=/docs/ (repeat)")
	return cmd
}

func newSegmentList(a *command.App) *cobra.Command {
	var q ask.Asker
	return ask.Asking(a, &q, &cobra.Command{
		Use:     "list SITE",
		Short:   "List the segments of a site",
		Long:    "List the segments of a site by name, with their filters.",
		Example: "  footfall segment list shop.example",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, _ *query.Reader, args []string) (any, error) {
		return segments.List(ctx, q.Table, segments.ListParams{Site: args[0], Consistent: q.Consistent})
	})
}

func newSegmentShow(a *command.App) *cobra.Command {
	var q ask.Asker
	return ask.Asking(a, &q, &cobra.Command{
		Use:     "show SITE SEGMENT",
		Short:   "Show a segment",
		Long:    "Print the filters of a segment. Reads are always strongly consistent, with or without --consistent.",
		Example: "  footfall segment show shop.example german-phones --output json",
		Args:    cobra.ExactArgs(2),
	}, func(ctx context.Context, _ *query.Reader, args []string) (any, error) {
		return segments.Find(ctx, q.Table, args[0], args[1])
	})
}

func newSegmentDelete(a *command.App) *cobra.Command {
	return deleting(a, &cobra.Command{
		Use:   "delete SITE SEGMENT",
		Short: "Delete a segment",
		Long: "Delete a segment. Questions that name it fail from then on; share links that were created from it keep their filters. " +
			"No figure changes.",
		Example: "  footfall segment delete shop.example german-phones",
	}, segments.Delete)
}
