package manage

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/sinks"
)

// writer writes to a table as the person who runs the command.
func writer(t *connect.Table) entered.Writer {
	by, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil {
		by = u.Username
	}
	if name, err := os.Hostname(); err == nil {
		host = name
	}
	return entered.Writer{Table: t.Table, By: by + "@" + host, Now: time.Now}
}

// deleting makes cmd delete what its second argument names of the site that its first names.
func deleting(a *command.App, cmd *cobra.Command, remove func(ctx context.Context, t sinks.Table, site, id string) error) *cobra.Command {
	cmd.Args = cobra.ExactArgs(2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
			err := remove(ctx, t.Table, args[0], args[1])
			if err == nil {
				fmt.Fprintf(a.Out, "Deleted %s.\n", args[1])
			}
			return err
		})
	}
	return cmd
}
