package records

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
)

func newExportPerson(a *command.App, person sites.Person, field string) *cobra.Command {
	o := erase.Options{Person: person}
	var f exportFlags
	cmd := &cobra.Command{
		Use:   string(person) + " SITE ID",
		Short: "Everything held about the " + string(person) + " with this " + field,
		Long: `Write everything that the table holds about the ` + string(person) + ` of a site with this ` + field + `: raw events, conversions, sessions and
visits with their figures, the visit state, and annotations whose text has the id as a word, as footfall erase finds them. Events of their
sessions that have no such id are included.

Each line is one item: its kind, and its attributes with the names of docs/schema.md. Ids and texts are as they were sent, times in
milliseconds since 1970. The order is undefined. The command reads all raw events and sessions of the site.

Not included: who wrote an annotation, the topic, the failed-events topic, lists of recent sessions, and keyed hashes in uniques and breakdowns.`,
		Example: "  footfall export " + string(person) + " shop.example 4f2a --zstd --output 4f2a.ndjson.zst\n" +
			"  footfall export " + string(person) + " shop.example 4f2a | jq -r 'select(.kind == \"event\") | .url'",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Site, o.ID = args[0], args[1]
			if err := o.Validate(); err != nil {
				return command.Usagef("%w", err)
			}
			c, err := a.Config(cmd)
			if err != nil {
				return err
			}
			o.HashKey = engine.HashKey(c)
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				o.Table = t.Table
				var count erase.Exported
				err := export(a, f, func(out io.Writer) (err error) {
					lines := bufio.NewWriterSize(out, 64<<10)
					count, err = erase.Export(ctx, o, lines)
					return errors.Join(err, lines.Flush())
				})
				if err == nil {
					_, err = fmt.Fprintf(a.Err, "Lines by kind: %s.\n", spellCounts(erase.Counts(count)))
				}
				return err
			})
		},
	}
	f.add(cmd)
	command.AddConfigFlags(cmd.Flags(), "visitorHashKey", "visitorHashKeyFile")
	return cmd
}
