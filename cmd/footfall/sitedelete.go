package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

func newSiteDeleteCommand(a *app) *cobra.Command {
	var output string
	var revision int64
	cmd := &cobra.Command{
		Use:   "delete SITE",
		Short: "Reject a site's events from now on",
		Long: `Delete a site: its events are rejected as unknown_site within 30 seconds and one flush interval, whether sites must be registered or
not. What is in the table stays until it expires, and queries still answer. footfall site list shows the site only with --deleted.

footfall site create restores the site, and footfall failed replay --reason unknown_site what was rejected in between. Deleting a
deleted site has no effect.`,
		Example: "  footfall site delete shop.example\n  footfall site delete shop.example --if-revision 7",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := show.Format(output).Check(); err != nil {
				return usagef("%w", err)
			}
			only, err := readRevision(cmd.Flags(), &revision)
			if err != nil {
				return err
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				if err := sites.Delete(ctx, t, sinks.Keys{}, args[0], only, time.Now()); err != nil {
					return err
				}
				return a.printSite(ctx, cmd, t, args[0], output)
			})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", string(show.Table), "table, json or csv")
	complete(cmd, "output", show.Formats...)
	addRevision(f, &revision)
	return cmd
}

const ifRevision = "if-revision"

// addRevision adds the flag by which a change is refused if somebody has changed the site since.
func addRevision(f *pflag.FlagSet, revision *int64) {
	f.Int64Var(revision, ifRevision, 0, "only if this is the site's last revision; 0 = it has none (default: any)")
}

// readRevision returns the revision that the flag names; nil: it was not set.
func readRevision(f *pflag.FlagSet, revision *int64) (*int64, error) {
	if !f.Changed(ifRevision) {
		return nil, nil
	}
	if *revision < 0 {
		return nil, usagef("--%s %d: name the site's last revision, which footfall site show --json prints; 0 = it has none", ifRevision, *revision)
	}
	return revision, nil
}

// readSwitch reads a flag that is on or off; to stays nil where it was not set.
func readSwitch(f *pflag.FlagSet, flag string, to **bool) error {
	if !f.Changed(flag) {
		return nil
	}
	text := f.Lookup(flag).Value.String()
	if text != "on" && text != "off" {
		return usagef("--%s %q: write on or off", flag, text)
	}
	*to = new(text == "on")
	return nil
}

// sayRegistered says from when on a site is counted that was created, where only such are.
func (a *app) sayRegistered(cmd *cobra.Command, id string) error {
	c, err := a.config(cmd)
	if err == nil && c.Sites.Accept == checkpoint.SitesRegistered {
		fmt.Fprintf(a.err, "Workers know of site %q within 30 seconds, and count it from their next step on, which is one flush interval (%v) later at most. "+
			"What they reject until then is published again by footfall failed replay --reason %s.\n", id, c.Intervals.Stats, event.UnknownSite)
	}
	return err
}
