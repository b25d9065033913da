package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/docs"
	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/serve"
)

func newDocsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Print reference documents about the table and the events",
		Long: `Print reference documents in Markdown, the JSON Schema of events and the OpenAPI document of the read API, as of this release. The
command connects to nothing.`,
		Example: "  footfall docs schema\n  footfall docs patterns",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "schema",
			Short: "Every item of the table: keys, indexes, attributes, time to live, write units",
			Long: `Print every type of item in the table: the templates of its keys, its index keys, each attribute with type, unit and how it is
written, its expiry, its size and its write units.`,
			Example: "  footfall docs schema\n  footfall docs schema >docs/schema.md",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return schema.Document(a.out) },
		},
		&cobra.Command{
			Use:   "patterns",
			Short: "Requests and read units of every query, and every write",
			Long: `Print the requests that each query makes of the table: operation, index, key condition, consistency and read units; and every
write.`,
			Example: "  footfall docs patterns",
			Args:    cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := io.WriteString(a.out, docs.Patterns)
				return err
			},
		},
		&cobra.Command{
			Use:   "event-schema",
			Short: "JSON Schema of the events that producers send",
			Long: `Print the JSON Schema (draft 2020-12) of the events that producers send, for validators, editors and code generators. A valid event
is counted, and no field of it is ignored. What a schema cannot say, such as lengths in bytes, its description lists.`,
			Example: "  footfall docs event-schema\n  footfall docs event-schema >event.schema.json",
			Args:    cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := io.WriteString(a.out, docs.EventSchema)
				return err
			},
		},
		&cobra.Command{
			Use:     "configuration",
			Short:   "Every key of the configuration, with its variable, flag and default",
			Long:    "Print every key of the configuration with its environment variable, its flag, its default and its meaning.",
			Example: "  footfall docs configuration\n  footfall docs configuration >docs/configuration.md",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return documentConfiguration(a.out) },
		},
		&cobra.Command{
			Use:     "metrics",
			Short:   "Every Prometheus metric, with its type, labels and meaning",
			Long:    "Print every metric that a process serves to Prometheus, with its type, its labels and its meaning.",
			Example: "  footfall docs metrics\n  footfall docs metrics >docs/prometheus.md",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return documentMetrics(a.out) },
		},
		&cobra.Command{
			Use:     "openapi",
			Short:   "OpenAPI 3.1 document of the read API",
			Long:    "Print the OpenAPI 3.1 document of the read API that footfall serve answers, for validators and code generators.",
			Example: "  footfall docs openapi\n  footfall docs openapi >docs/openapi.json",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return serve.WriteOpenAPI(a.out) },
		},
		&cobra.Command{
			Use:     "cli",
			Short:   "The help of every command",
			Long:    "Print the help of every command in one document.",
			Example: "  footfall docs cli\n  footfall docs cli >docs/cli.md",
			Args:    cobra.NoArgs,
			RunE:    func(cmd *cobra.Command, _ []string) error { return documentCommands(a.out, cmd.Root()) },
		},
	)
	return cmd
}
