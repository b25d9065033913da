package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/docs"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/internal/show"
)

func newDocsCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Print reference documents about the table and the events",
		Long: `Print reference documents in Markdown, the JSON Schema of events and the OpenAPI document of the read API, as of this release. The
command connects to nothing.`,
		Example: "  footfall docs schema\n  footfall docs patterns",
	}
	for _, d := range documents() {
		cmd.AddCommand(&cobra.Command{Use: d.name, Short: d.short, Long: d.long, Example: d.example, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return d.write(a.Out, cmd.Root()) }})
	}
	return cmd
}

// document is one that footfall docs prints.
type document struct {
	name, short, long, example string
	write                      func(out io.Writer, root *cobra.Command) error
}

func documents() []document {
	return []document{
		{
			name: "schema", short: "Every item of the table: keys, indexes, attributes, time to live, write units",
			long: `Print every type of item in the table: the templates of its keys, its index keys, each attribute with type, unit and how it is
written, its expiry, its size and its write units.`,
			example: "  footfall docs schema\n  footfall docs schema >schema.md",
			write:   func(out io.Writer, _ *cobra.Command) error { return schema.Document(out) },
		},
		{
			name: "patterns", short: "Requests and read units of every query, and every write",
			long: `Print the requests that each query makes of the table: operation, index, key condition, consistency and read units; and every
write.`,
			example: "  footfall docs patterns",
			write: func(out io.Writer, _ *cobra.Command) error {
				if err := writeText(out, docs.Patterns); err != nil {
					return err
				}
				return schema.Writes(out)
			},
		},
		{
			name: "event-schema", short: "JSON Schema of the events that producers send",
			long: `Print the JSON Schema (draft 2020-12) of the events that producers send, for validators, editors and code generators. A valid event
is counted, and no field of it is ignored. What a schema cannot say, such as lengths in bytes, its description lists.`,
			example: "  footfall docs event-schema\n  footfall docs event-schema >event.schema.json",
			write:   func(out io.Writer, _ *cobra.Command) error { return writeText(out, docs.EventSchema) },
		},
		{
			name: "configuration", short: "Every key of the configuration, with its default and meaning",
			long:    "Print every key of the configuration with its default and its meaning, and how its variable and flag are spelled.",
			example: "  footfall docs configuration\n  footfall docs configuration >docs/configuration.md",
			write:   func(out io.Writer, _ *cobra.Command) error { return documentConfiguration(out) },
		},
		{
			name: "metrics", short: "Every Prometheus metric, with its type, labels and meaning",
			long:    "Print every metric that a process serves to Prometheus, with its type, its labels and its meaning.",
			example: "  footfall docs metrics\n  footfall docs metrics >metrics.md",
			write:   func(out io.Writer, _ *cobra.Command) error { return documentMetrics(out) },
		},
		{
			name: "openapi", short: "OpenAPI 3.1 document of the read API",
			long:    "Print the OpenAPI 3.1 document of the read API that footfall serve answers, for validators and code generators.",
			example: "  footfall docs openapi\n  footfall docs openapi >openapi.json",
			write:   func(out io.Writer, _ *cobra.Command) error { return serve.WriteOpenAPI(out) },
		},
		{
			name: "cli", short: "The help of every command",
			long:    "Print the help of every command in one document.",
			example: "  footfall docs cli\n  footfall docs cli >cli.md",
			write:   documentCommands,
		},
		{
			name: "json", short: "Every field of the JSON of answers, and what stays stable in it",
			long:    "Print every field of the documents that --json prints, with its type and meaning, and what stays stable within a version.",
			example: "  footfall docs json",
			write:   func(out io.Writer, _ *cobra.Command) error { return writeText(out, show.JSONFields) },
		},
	}
}

func writeText(out io.Writer, text string) error {
	_, err := io.WriteString(out, text)
	return err
}
