package queries

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// explainFlags are the flags of footfall query explain.
type explainFlags struct {
	file   string // explains the item in it, or on standard input for "-"; --item says whether it is set
	output show.Format
}

func newQueryExplain(a *command.App) *cobra.Command {
	var e explainFlags
	cmd := &cobra.Command{
		Use:   "explain PK SK",
		Short: "Explain an item of the table",
		Long: `Read an item by its partition key and sort key, with a consistent read, and explain it: the type of item; the site, bucket or session
of its key; the last flush of each partition that it contains; each attribute, with sketches counted, states decoded and times in RFC
3339; and when it expires. Hours, days and months are printed in the site's zone. If there is no such item, the exit code is 1.

With --item, explain an item from a file, or from standard input with -, as the AWS command line or this command with --output json
prints it. The table is not read, and UTC is assumed. footfall docs schema lists all types of item.`,
		Example: `  footfall query explain 'SITE#shop.example' 'STATS#hour#2026-05-12T14'
  footfall query explain 'CHAIN#1' 'P#0#stats' --output json
  aws dynamodb get-item --table-name footfall --key '{"pk":{"S":"PIPELINE"},"sk":{"S":"TABLE"}}' | footfall query explain --item -`,
		Args: explainArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(a, cmd, args) },
	}
	command.AddOutput(cmd, &e.output, show.Table, show.JSON)
	cmd.Flags().StringVar(&e.file, "item", "", "explain the item in this file instead of one in the table; - = standard input")
	return cmd
}

// explainArgs takes a partition key and a sort key, or neither with --item.
func explainArgs(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed("item") {
		return cobra.ExactArgs(2)(cmd, args)
	}
	if len(args) > 0 {
		return command.Usagef("the item of --item names its own keys: leave out %q", args)
	}
	return nil
}

// run explains the item of --item, or the item of the table that args name.
func (e explainFlags) run(a *command.App, cmd *cobra.Command, args []string) error {
	if cmd.Flags().Changed("item") {
		x, err := explainFile(a, e.file)
		if err != nil {
			return err
		}
		return a.Show(a.Layout(e.output), x)
	}
	q := ask.Asker{Output: e.output}
	return q.Ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) {
		return explainItem(ctx, r, sinks.Key{PK: args[0], SK: args[1]})
	})
}

// explainItem explains an item of the table, its hours and days in its site's zone.
func explainItem(ctx context.Context, r *query.Reader, key sinks.Key) (any, error) {
	it, err := r.Item(ctx, key)
	if err != nil {
		return nil, err
	}
	shards, err := r.SessionShards(ctx)
	if err != nil {
		return nil, err
	}
	if it == nil {
		return nil, fmt.Errorf("there is no item at %q / %q: %s", key.PK, key.SK, schema.ExplainKey(key, shards))
	}
	ruled, err := rulesOf(ctx, r, schema.SiteOf(it, shards))
	if err != nil {
		return nil, err
	}
	return schema.Explain(it, ruled, shards, time.Now()), nil
}

// rulesOf returns a site's rules; nil where it has none, or where site is empty.
func rulesOf(ctx context.Context, r *query.Reader, site string) (*sites.Rules, error) {
	if site == "" {
		return nil, nil
	}
	dates, err := r.Dates(ctx, site)
	if err != nil || dates.Rules() == "" {
		return nil, err
	}
	return sites.ParseRules(dates.Rules())
}

// explainFile explains the item in a file, or on standard input for "-".
func explainFile(a *command.App, name string) (schema.Explanation, error) {
	in, from := a.In, "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return schema.Explanation{}, err
		}
		defer f.Close()
		in, from = f, name
	}
	x, err := schema.ExplainText(in, sinks.DefaultShards, time.Now())
	if err != nil {
		return schema.Explanation{}, fmt.Errorf("the item in %s: %w", from, err)
	}
	return x, nil
}
