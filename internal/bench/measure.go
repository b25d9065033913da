package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// cost is what a piece of work took of this process.
type cost struct {
	cpu    float64 // nanoseconds an operation
	allocs float64 // an operation
	rate   float64 // operations a second by the wall clock
}

// measure runs work, which does ops operations, and says what one of them cost.
func measure(ops int, work func() error) (cost, error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, err := processCPU()
	if err != nil {
		return cost{}, err
	}
	start := time.Now()
	if err := work(); err != nil {
		return cost{}, err
	}
	wall := time.Since(start)
	used, err := processCPU()
	if err != nil {
		return cost{}, err
	}
	runtime.ReadMemStats(&after)
	n := float64(ops)
	return cost{
		cpu:    float64(used-cpu) / n,
		allocs: float64(after.Mallocs-before.Mallocs) / n,
		rate:   n / wall.Seconds(),
	}, nil
}

// least is the round that used the least CPU. A machine that others use as well makes rounds slower, never faster:
// the least is nearest to what the work itself costs.
func least(rounds []cost) cost {
	return slices.MinFunc(rounds, func(a, b cost) int { return cmp.Compare(a.cpu, b.cpu) })
}

// median is the middle of the numbers, or the mean of the two that are.
func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func cpus(rounds []cost) []float64 {
	list := make([]float64, len(rounds))
	for i, r := range rounds {
		list[i] = r.cpu
	}
	return list
}

// spread says the median of the numbers, and the least and the most.
func spread(list []float64, format string) string {
	return fmt.Sprintf(format+" ("+format+" to "+format+")", median(list), slices.Min(list), slices.Max(list))
}
