package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

func newQueryExplain(a *app) *cobra.Command {
	var output show.Format
	var file string
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
		Args: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("item") {
				return cobra.ExactArgs(2)(cmd, args)
			}
			if len(args) > 0 {
				return fmt.Errorf("the item of --item names its own keys: leave out %q", args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("item") {
				x, err := a.explainFile(file)
				if err != nil {
					return err
				}
				return a.show(output, x)
			}
			q := asker{output: output}
			key := sinks.Key{PK: args[0], SK: args[1]}
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) {
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
				var ruled *sites.Rules
				if id := schema.SiteOf(it, shards); id != "" {
					text, err := r.Rules(ctx, id)
					if err != nil {
						return nil, err
					}
					if text != "" {
						if ruled, err = sites.ParseRules(text); err != nil {
							return nil, err
						}
					}
				}
				return schema.Explain(it, ruled, shards, time.Now()), nil
			})
		},
	}
	addOutput(cmd, &output, show.Table, show.JSON)
	cmd.Flags().StringVar(&file, "item", "", "explain the item in this file instead of one in the table; - = standard input")
	return cmd
}

// explainFile explains the item in a file, or on standard input for "-".
func (a *app) explainFile(name string) (schema.Explanation, error) {
	in, from := a.in, "standard input"
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
