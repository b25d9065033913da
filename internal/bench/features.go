package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// features prints CPU per record of the pipeline with one more of its features each, and of a client that discards.
func features(ctx context.Context, o options) error {
	broker, err := startChild("broker")
	if err != nil {
		return err
	}
	defer broker.end()
	printHead("an hour of traffic in catch-up, by feature", o.rounds)
	for i, sites := range o.sites {
		l := load{sites: sites, partitions: 8, hourly: o.records, script: clickers, think: 40 * time.Second}
		t, err := l.publish(ctx, broker.addr, "sites-"+strconv.Itoa(sites), o.records)
		if err != nil {
			return fmt.Errorf("%d sites: %w", sites, err)
		}
		with := variants()
		if i > 0 { // Only the first number of sites is measured feature by feature, and profiled.
			with = []variant{with[0], with[len(with)-1]}
			o.profile, o.allocs = "", ""
		}
		var rows []*comparison
		for _, v := range with {
			rows = append(rows, &comparison{name: fmt.Sprintf("%d sites: %s", sites, v.name), topic: t, settings: v.settings})
		}
		if err := compare(ctx, o.rounds, rows); err != nil {
			return err
		}
		err = o.profiled(func() (err error) {
			for range o.rounds {
				err = errors.Join(err, rows[len(rows)-1].run(ctx))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Println("  required: a ratio of 0.18 or more at 100 sites without breakdowns; asked: 0.40 there, 0.25 with everything,")
	fmt.Println("  0.12 with everything at 10,000 sites")
	fmt.Println()
	return nil
}

// variant is a pipeline with some of what it can do.
type variant struct {
	name     string
	settings checkpoint.Settings
}

// variants have one more of the features each, to the last, which has all but raw events.
func variants() []variant {
	s := checkpoint.DefaultSettings()
	s.RawEvents, s.Duplicates, s.Bots, s.VisitGapMs, s.Breakdowns = false, checkpoint.Duplicates{}, checkpoint.Bots{}, 0, 0
	s.NewSites = 10_000 // All that there are come in their first hour.
	all := []variant{{"windows, sketches, sessions", s}}
	add := func(name string, change func(s *checkpoint.Settings)) {
		change(&s)
		all = append(all, variant{name, s})
	}
	normal := checkpoint.DefaultSettings()
	add("and duplicates", func(s *checkpoint.Settings) { s.Duplicates = normal.Duplicates })
	add("and bots", func(s *checkpoint.Settings) { s.Bots = normal.Bots })
	add("and visits", func(s *checkpoint.Settings) { s.VisitGapMs = normal.VisitGapMs })
	add("and breakdowns", func(s *checkpoint.Settings) { s.Breakdowns = normal.Breakdowns })
	return all
}
