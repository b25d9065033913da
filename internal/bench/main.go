// Command bench measures what footfall costs: CPU per record beside a Kafka client that does nothing with its records, CPU per write, and
// the size of sketches (go run ./internal/bench). The tests of this package measure footfall itself on real Kafka and DynamoDB Local, and
// count write units. docs/internals/performance.md has the figures.
//
// Nothing here is compared with a clock. What is measured against each other runs in turns within one process, since
// a machine that others share changes its speed by more than any change to the code. Each figure is the median of several rounds, with
// the least and the most. Ratios are what can be compared between machines. The broker, the store and the producer are children of this
// process (child.go), so that CPU time, by getrusage, is the consumer's alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	runtime.MemProfileRate = 0 // Until a profile of allocations begins.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parts are what is measured, in this order.
var parts = []struct {
	name    string
	measure func(context.Context, options) error
}{
	{"features", features}, {"traffic", kindsOfTraffic}, {"steady", steady}, {"growth", growth},
	{"hot", hotPartition}, {"writes", writes}, {"sizes", sizes},
}

func run(ctx context.Context) error {
	o, role, err := parse()
	if err != nil {
		return err
	}
	switch role {
	case "broker":
		return runBroker()
	case "store":
		return runStore()
	case "producer":
		return runProducer(ctx, flag.Args())
	}
	for _, p := range parts {
		if !slices.Contains(o.parts, p.name) {
			continue
		}
		if err := p.measure(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// parse reads the flags. role is what this process is, when the program starts itself.
func parse() (o options, role string, err error) {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	all := strings.Join(names, ",")
	flag.StringVar(&role, "role", "", "what this process is, when the program starts itself: broker, store or producer")
	only := flag.String("parts", all, "what to measure, separated by commas")
	flag.IntVar(&o.records, "records", 500_000, "records of each topic that is consumed")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of what is measured in turns")
	flag.IntVar(&o.writes, "writes", 20_000, "writes of each kind a round")
	flag.DurationVar(&o.span, "span", time.Minute, "steady: how long a round measures")
	flag.StringVar(&o.data, "data", "../shared/data", "traffic: directory of the real data")
	flag.StringVar(&o.profile, "profile", "", "features, steady: write a CPU profile of more rounds of the pipeline, the first number of "+
		"sites, to this file")
	flag.StringVar(&o.allocs, "allocs", "", "the same of allocations; with -profile of the same rounds, which makes them slower")
	sites := flag.String("sites", "100,1,10000", "features: numbers of sites, with a topic each")
	flag.Parse()
	for s := range strings.SplitSeq(*sites, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return o, role, fmt.Errorf("-sites %q: write positive numbers with commas between them", *sites)
		}
		o.sites = append(o.sites, n)
	}
	for s := range strings.SplitSeq(*only, ",") {
		if !slices.Contains(names, s) {
			return o, role, fmt.Errorf("-parts %q: choose from %s", *only, all)
		}
		o.parts = append(o.parts, s)
	}
	if o.rounds < 1 || o.records < 1 || o.writes < 1 {
		return o, role, fmt.Errorf("-rounds %d, -records %d, -writes %d: write 1 or more", o.rounds, o.records, o.writes)
	}
	return o, role, nil
}
