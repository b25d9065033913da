package main

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
		return usagef("--over %v: write a duration as in 10m, or 0", o.over)
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
		return usagef("%s: describes a load to estimate, but --observed measures the running one: leave one or the other out",
			strings.Join(idle, ", "))
	}
	return usagef("%s: only with --observed", strings.Join(idle, ", "))
}

// observedKeys is how many of the hottest keys are told.
const observedKeys = 5

func (a *app) observe(cmd *cobra.Command, o observation, peak float64, prices capacity.Prices, output show.Format) error {
	urls, err := a.processes(cmd, o.from)
	if err != nil {
		return err
	}
	return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
		readings, err := readMeters(ctx, urls, o.over)
		if err != nil {
			return err
		}
		hot, err := askHot(ctx, urls)
		if err != nil {
			return err
		}
		stored, err := t.Describe(ctx)
		if err != nil {
			return err
		}
		spent, err := askSpent(ctx, urls)
		if err != nil {
			return err
		}
		plan, err := capacity.Observe(capacity.Metered{Readings: readings, Stored: stored, Keys: capacity.ReportHot(hot, observedKeys).Keys,
			Spent: spent}, peak, prices)
		if err != nil {
			return err
		}
		return a.printPlan(plan, output)
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
			err = errors.Join(err, getFrom(ctx, r.URL+"/metrics", func(body io.Reader) (err error) {
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
