package main

import (
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

// snapshot is what this process has used at a moment.
type snapshot struct {
	at     time.Time
	cpu    time.Duration
	allocs uint64
}

func take() (s snapshot, err error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.at, s.allocs = time.Now(), m.Mallocs
	s.cpu, err = processCPU()
	return s, err
}

// per says what each of n operations has cost since an earlier moment.
func (s snapshot) per(n float64, since snapshot) cost {
	return cost{
		cpu:    float64(s.cpu-since.cpu) / n,
		allocs: float64(s.allocs-since.allocs) / n,
		rate:   n / s.at.Sub(since.at).Seconds(),
	}
}

// measure runs work, which does ops operations, and says what one of them cost.
func measure(ops int, work func() error) (cost, error) {
	runtime.GC()
	before, err := take()
	if err != nil {
		return cost{}, err
	}
	if err := work(); err != nil {
		return cost{}, err
	}
	after, err := take()
	return after.per(float64(ops), before), err
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
