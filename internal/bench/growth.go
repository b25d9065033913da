package main

import (
	"context"
	"fmt"
	"time"
)

// growth prints how the cost of the same number of events grows when there is twice as much of one thing.
func growth(ctx context.Context, o options) error {
	broker, err := startChild("broker")
	if err != nil {
		return err
	}
	defer broker.end()
	printHead("everything on, one thing doubled at a time", o.rounds)
	usual := load{sites: 100, partitions: 8, hourly: o.records, script: clickers, think: 40 * time.Second}
	script := []string{"page_view", "click", "page_view", "click", "page_view", "click", "page_view", "click"}
	for _, axis := range []struct {
		name   string
		values []int
		set    func(*load, int)
	}{
		{"sites", []int{100, 200, 400, 800, 1600, 3200, 6400, 12_800}, func(l *load, n int) { l.sites = n }},
		{"sessions, as shares of 1/8 of the events", []int{1, 2, 4, 8}, func(l *load, n int) { l.script = script[:len(script)/n] }},
		{"partitions", []int{8, 16, 32, 64}, func(l *load, n int) { l.partitions = int32(n) }},
		{"fields that breakdowns count", []int{1, 2, 4, 8}, func(l *load, n int) { l.dimensions = n }},
	} {
		var rows []*comparison
		for i, n := range axis.values {
			l := usual
			axis.set(&l, n)
			t, err := l.publish(ctx, broker.addr, fmt.Sprintf("%.5s-%d", axis.name, i), o.records)
			if err != nil {
				return err
			}
			rows = append(rows, &comparison{name: fmt.Sprintf("%d %s", n, axis.name), topic: t, settings: everything()})
		}
		if err := compare(ctx, o.rounds, rows); err != nil {
			return err
		}
		for i := range rows[1:] {
			var factors []float64
			for round := range o.rounds {
				factors = append(factors, rows[i+1].pipeline[round].cpu/rows[i].pipeline[round].cpu)
			}
			fmt.Printf("  %d to %d %s: %s times the cost of the same events\n", axis.values[i], axis.values[i+1], axis.name, spread(factors, "%.2f"))
		}
		fmt.Println()
	}
	fmt.Println("  asked: doubling one of them never more than doubles the cost")
	fmt.Println()
	return nil
}
