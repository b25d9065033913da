// Package records has the commands on single events and people: footfall export, footfall erase and footfall failed.
package records

import (
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/sites"
)

// NewExportCommand is footfall export.
func NewExportCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Export raw events, or the data of a visitor or user, as NDJSON",
		Long: `Write what the table holds about a site's events as NDJSON, one JSON object per line, compressed with zstd on request. A file is
written under a temporary name and renamed when it is complete. Only its owner may read it.`,
		Example: "  footfall export events shop.example --from 2026-05-01 --to 2026-06-01 --zstd --output may.ndjson.zst\n" +
			"  footfall export visitor shop.example 4f2a --output 4f2a.ndjson",
	}
	cmd.AddCommand(newExportEvents(a), newExportPerson(a, sites.Visitor, "visitorId"), newExportPerson(a, sites.User, "userId"))
	return cmd
}
