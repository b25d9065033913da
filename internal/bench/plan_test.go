package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/capacity"
)

// What a plan may differ from what was measured: in units of all items together, and of each kind that has a hundredth of them or more.
const (
	planTolerance = 0.1
	kindTolerance = 0.15
)

// workload is the load as a plan takes it.
func (l load) workload() capacity.Workload {
	w := capacity.DefaultWorkload()
	w.EventsPerDay = 24 * float64(l.hourly)
	w.Sites, w.Partitions = l.sites, int(l.partitions)
	w.EventsPerSession, w.Think = float64(len(l.script)), l.think
	w.Peak, w.Even = 1, true // Traffic.begins.
	w.SessionsPerVisitor, w.Users = sessionsPerVisitor, 1.0/visitorsPerUser
	w.Pages, w.Cities = 1000, 400 // As record draws them.
	if l.sessionless {
		w.Sessionless = 1
	}
	if l.limits.StepItems > 0 {
		w.FlushItems, w.FlushBytes = l.limits.StepItems, l.limits.StepBytes
	}
	if l.interval > 0 {
		w.Stats = l.interval
	}
	w.RealtimeMax = l.realtimeMax
	if l.settings.Fold > 0 {
		w.Settings = l.settings
	}
	return w
}

// holdPlan shows what was planned for an hour of the load beside what was measured in one, and fails where they differ too
// much.
func holdPlan(t *testing.T, l load, u usage) {
	w := l.workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	p := capacity.Make(w, capacity.DefaultPrices())
	planned, all := make(map[string]float64), 0.0
	for _, it := range p.Items {
		if _, measured := u.units[it.Entity]; measured { // Else it is sealed: that comes behind the day.
			planned[it.Entity] += it.Units / 24
			all += it.Units / 24
		}
	}
	const hour = "  planned / measured: %-12s %8.0f / %8.0f units = %.3f\n"
	maps.DeleteFunc(u.units, func(_ string, units float64) bool { return units == 0 })
	for _, kind := range slices.Sorted(maps.Keys(u.units)) {
		off := planned[kind] / u.units[kind]
		fmt.Fprintf(t.Output(), hour, kind, planned[kind], u.units[kind], off)
		if u.units[kind] >= sum(u.units)/100 && math.Abs(off-1) > kindTolerance {
			t.Errorf("the plan says %.0f write units an hour of %s, %.0f were measured: %.3f times as much, want 1 ± %g", planned[kind], kind,
				u.units[kind], off, kindTolerance)
		}
	}
	fmt.Fprintf(t.Output(), hour, "read units", p.Total.ReadUnits/24, u.reads, p.Total.ReadUnits/24/u.reads)
	off := all / sum(u.units)
	fmt.Fprintf(t.Output(), hour, "all", all, sum(u.units), off)
	if math.Abs(off-1) > planTolerance {
		t.Errorf("the plan says %.0f write units an hour, %.0f were measured: %.3f times as much, want 1 ± %g", all, sum(u.units), off,
			planTolerance)
	}
}
