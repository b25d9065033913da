package tables

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
)

// observation says what footfall plan --observed looks at.
type observation struct {
	observed bool
	from     []string
	over     time.Duration
}

func (o *observation) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.observed, "observed", false, "measure running processes instead of estimating a load")
	f.StringArrayVar(&o.from, "metrics-url", nil, "with --observed: address of a running process, http://HOST:PORT (repeat for each; "+
		"default: the configured http address)")
	f.DurationVar(&o.over, "over", 0, "with --observed: time between two readings (default: since the processes started)")
}

// whatever are the flags that an observation heeds beside its own, those of prices and those that every command has.
var whatever = []string{"observed", "metrics-url", "over", "peak", "output", "json"}

// check refuses flags that would be passed over.
func (o *observation) check(cmd *cobra.Command) error {
	if o.over < 0 {
		return command.Usagef("--over %v: write a duration as in 10m, or 0", o.over)
	}
	var idle []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		heeded := slices.Contains(whatever, f.Name) || strings.HasPrefix(f.Name, "price-") || cmd.InheritedFlags().Lookup(f.Name) != nil
		switch {
		case o.observed && !heeded:
			idle = append(idle, "--"+f.Name)
		case !o.observed && (f.Name == "metrics-url" || f.Name == "over"):
			idle = append(idle, "--"+f.Name)
		}
	})
	switch {
	case idle == nil:
		return nil
	case o.observed:
		return command.Usagef("%s: describes a load to estimate, but --observed measures the running one: leave one or the other out",
			strings.Join(idle, ", "))
	}
	return command.Usagef("%s: only with --observed", strings.Join(idle, ", "))
}

// observedKeys is how many of the hottest keys are told.
const observedKeys = 5

func observe(a *command.App, cmd *cobra.Command, o observation, peak float64, prices capacity.Prices, output show.Format) error {
	urls, err := connect.Processes(a, cmd, o.from)
	if err != nil {
		return err
	}
	return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
		readings, err := readMeters(ctx, urls, o.over)
		if err != nil {
			return err
		}
		hot, err := connect.AskHot(ctx, urls)
		if err != nil {
			return err
		}
		stored, err := t.Describe(ctx)
		if err != nil {
			return err
		}
		spent, err := connect.AskSpent(ctx, urls)
		if err != nil {
			return err
		}
		plan, err := capacity.Observe(capacity.Metered{Readings: readings, Stored: stored, Keys: capacity.ReportHot(hot, observedKeys).Keys,
			Spent: spent}, peak, prices)
		if err != nil {
			return err
		}
		return printPlan(a, plan, output)
	})
}

// readMeters reads the meters of all processes, and once more after a while if there is one.
func readMeters(ctx context.Context, urls []string, over time.Duration) ([]capacity.Reading, error) {
	readings := make([]capacity.Reading, len(urls))
	for i, url := range urls {
		readings[i].URL = url
	}
	read := func(m func(*capacity.Reading) *capacity.Meters) (err error) {
		for i := range readings {
			r := &readings[i]
			err = errors.Join(err, connect.GetFrom(ctx, r.URL+"/metrics", func(body io.Reader) (err error) {
				*m(r), err = capacity.ReadMeters(body, time.Now())
				return err
			}))
		}
		return err
	}
	if over > 0 {
		if err := read(func(r *capacity.Reading) *capacity.Meters { return &r.Before }); err != nil {
			return nil, err
		}
		wait := time.NewTimer(over)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return readings, read(func(r *capacity.Reading) *capacity.Meters { return &r.After })
}

func printPlan(a *command.App, p capacity.Plan, output show.Format) error {
	return a.Print(output, p, func(out io.Writer) error { return capacity.Print(out, p) })
}
