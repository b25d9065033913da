package main

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/embedded"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/verify"
)

func newVerifyCommand(a *app) *cobra.Command {
	var site, from, to, output string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Recount the topic and compare the table with it",
		Long: `Recount the topic from its log, with a fold that shares nothing with the pipeline's, and compare the table with the
recount: every counter, session, sketch register, realtime minute, recent session, raw event key, site and checkpoint
total, and what the table holds beyond that. A site's metadata is compared with the last revision of its rules. Nothing is
written and no group joined; the pipeline, and site update, may go on meanwhile.

It takes the end offsets when it starts, waits until the chains have passed them (--wait), or says which have not, and
compares each item as of what its own marks say it holds. What moved during the read is read again. It leaves out, and
counts, what the log no longer holds and what has passed its retention.

With --data it verifies what footfall dev runs in that directory, or left there. Raw events are compared where a step
was folded with rawEvents on; --raw-events=false leaves them out.

Exit codes: 0 all that could be compared is equal; 1 there are differences (each is printed, up to 1,000), or verify
itself could not go on, which stderr says; 3 nothing could be compared, nothing of the range that --from and --to ask for, or
neither table nor log knows the --site; 4 items moved at every read, or chains had not passed the end offsets.

` + rangeHelp,
		Example: `  footfall verify --config footfall.yaml
  footfall verify --data data
  footfall verify --site shop.example --from -7d --output json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return usagef("--output %s: choose table or json", output)
			}
			if wait < 0 {
				return usagef("--wait %v: write a duration as in 30s, or 0", wait)
			}
			if !utf8.ValidString(site) {
				return usagef("--site %q is not valid UTF-8, which every id is", site)
			}
			o := verify.Options{Site: site, Wait: wait}
			now := time.Now()
			for _, end := range []struct {
				flag, text string
				to         *time.Time
			}{{"from", from, &o.From}, {"to", to, &o.To}} {
				if end.text == "" {
					continue
				}
				var err error
				if *end.to, err = query.ParseTime(end.text, now); err != nil {
					return usagef("--%s: %w", end.flag, err)
				}
			}
			if !o.From.IsZero() && !o.To.IsZero() && !o.From.Before(o.To) {
				return usagef("--from %s --to %s: the range is empty: let it begin before it ends", from, to)
			}
			report, err := a.verify(cmd, o)
			if err != nil {
				return err
			}
			if output == "json" {
				e := json.NewEncoder(a.out)
				e.SetIndent("", "  ")
				err = e.Encode(report)
			} else {
				err = report.WriteText(a.out)
			}
			if code := report.ExitCode(); err == nil && code != 0 {
				return &exitError{code: code}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&site, "site", "", "verify this site only (default: all)")
	f.StringVar(&from, "from", "", "verify what is of this time or later (default: all)")
	f.StringVar(&to, "to", "", "verify what is of before this time (default: all)")
	f.DurationVar(&wait, "wait", time.Minute, "how long to wait for the pipeline to pass the end of the log")
	f.StringVarP(&output, "output", "o", "table", "table or json")
	complete(cmd, "output", "table", "json")
	addConfigFlags(f, "rawEvents")
	return cmd
}

// verify opens the broker, where nobody runs it, and the table, and recounts.
func (a *app) verify(cmd *cobra.Command, o verify.Options) (report verify.Report, err error) {
	c, err := a.config(cmd)
	if err != nil {
		return report, err
	}
	var broker *embedded.Broker
	if o.Kafka, broker, err = brokers(cmd, c, embedded.OpenAnywhere); err != nil {
		return report, err
	}
	if broker != nil {
		defer broker.Close()
		o.Wait = 0 // No pipeline runs that could pass anything.
	}
	if err := checkTopic(cmd.Context(), o.Kafka, c.Kafka); err != nil {
		return report, err
	}
	err = a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
		o.HashKey = hashKey(c)
		o.Topic, o.Table, o.Keys = c.Kafka.Topic, t.Table, sinks.Keys{}
		o.SkipRaw = !c.RawEvents
		report, err = verify.Run(ctx, o)
		return err
	})
	return report, err
}
