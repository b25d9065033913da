package main

import (
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/schema"
)

func newDocsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Print what the table holds and who asks what of it",
		Long: `Print documents in Markdown that are made from the very code which writes and reads the table, as of this release.
Nothing is connected to.`,
		Example: "  footfall docs schema\n  footfall docs patterns",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "schema",
			Short: "Every item of the table: keys, indexes, attributes, time to live, write units",
			Long: `Print every type of item of the table: the templates of its keys, its places in indexes, each attribute with its type,
its unit and how it is written, when it expires, how large it is and what writing it costs.`,
			Example: "  footfall docs schema\n  footfall docs schema >docs/schema.md",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return schema.Document(a.out) },
		},
		&cobra.Command{
			Use:   "patterns",
			Short: "Every question with its requests, and what they cost",
			Long: `Print every question that footfall query answers with the requests it makes of the table: operation, index, key
condition, strong or eventual, and read units; and every write.`,
			Example: "  footfall docs patterns\n  footfall docs patterns >docs/patterns.md",
			Args:    cobra.NoArgs,
			RunE:    func(cmd *cobra.Command, _ []string) error { return schema.Patterns(cmd.Context(), a.out) },
		},
	)
	return cmd
}
