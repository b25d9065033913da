package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
)

// unitsAtScale holds the plan against the units of 300 M packed events a day over 5,000 sites, for three numbers of partitions and both
// intervals. Partitions do not meet, so the load is that of one: its sites at their rate. Of 16 partitions it is a quarter of one, with a
// quarter of the limits, so that flushes end as often as those of the whole.
func unitsAtScale(t *testing.T) {
	quarter := pipeline.Limits{StepItems: pipeline.DefaultLimits.StepItems / 4, StepBytes: pipeline.DefaultLimits.StepBytes / 4}
	for _, c := range []struct {
		partitions, sites, part int
		limits                  pipeline.Limits
	}{{16, 78, 64, quarter}, {64, 78, 64, pipeline.Limits{}}, {256, 20, 256, pipeline.Limits{}}} {
		for _, interval := range []time.Duration{time.Minute, 5 * time.Minute} {
			name := fmt.Sprintf("%d partitions at %v", c.partitions, interval)
			t.Run(name, func(t *testing.T) {
				l := load{sites: c.sites, partitions: 1, hourly: 300_000_000 / 24 / c.part, script: readers, think: 40 * time.Second,
					settings: packedSettings(), interval: interval, limits: c.limits}
				traffic := newTraffic(l, loadStart)
				u := simulate(t, l, func() *kgo.Record { return traffic.next("events") }, 40*time.Minute, time.Hour, nil)
				u.print(t, name)
				holdPlan(t, l, u)
			})
		}
	}
}
