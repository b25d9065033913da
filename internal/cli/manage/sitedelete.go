package manage

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

func newSiteDeleteCommand(a *command.App) *cobra.Command {
	var yes bool
	cmd := changing(a, &cobra.Command{
		Use:   "delete SITE",
		Short: "Reject a site's events from now on",
		Long: `Delete a site: its events are rejected as unknown_site within 30 seconds and one flush interval, whether sites must be registered or
not. Its annotations and alerts are deleted. All other data in the table stay until they expire, and queries still answer; footfall site
purge deletes them. footfall site list shows the site only with --deleted.

footfall site create restores the site, and footfall failed replay --reason unknown_site what was rejected in between. Deleting a
deleted site has no effect. The command requires --yes.`,
		Example: "  footfall site delete shop.example --yes\n  footfall site delete shop.example --yes --if-revision 7",
		Args:    cobra.ExactArgs(1),
	}, func(f *pflag.FlagSet, args []string) (change, error) {
		if !yes {
			return nil, command.Usagef("this rejects all further events of site %q: add --yes to do it", args[0])
		}
		only, err := readRevision(f)
		return func(ctx context.Context, t *connect.Table) (any, error) {
			if err := (sites.Decision{Table: t.Repeating(), Site: args[0], Now: time.Now(), IfRevision: only}).Delete(ctx); err != nil {
				return nil, err
			}
			if _, err := annotations.DeleteAll(ctx, t.Table, args[0]); err != nil {
				return nil, err
			}
			if _, err := alerts.DeleteAll(ctx, t.Table, args[0]); err != nil {
				return nil, err
			}
			return siteNow(ctx, a, t, args[0])
		}, err
	})
	addRevision(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "delete without confirmation")
	return cmd
}

// sayRegistered says from when on a site is counted that was created, where only such are.
func sayRegistered(a *command.App, c config.Config, id string) {
	if c.Sites.Accept == checkpoint.SitesRegistered {
		fmt.Fprintf(a.Err, "Processes count site %q within 30 seconds and one flush interval (%v). "+
			"What they reject until then is published again by footfall failed replay --reason %s.\n", id, c.Intervals.Stats, event.UnknownSite)
	}
}
