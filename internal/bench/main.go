// Command bench measures what footfall costs: CPU per record beside a Kafka client that does nothing with its
// records, CPU per write, and the size of sketches. Run it by `make bench`, which goes on with the write units that
// the tests of this package count.
//
// Nothing here is compared with a clock. What is measured against each other runs in turns within one process, since
// a machine that others share changes its speed by more than any change to the code; the least of several rounds is
// nearest to what the work itself costs, and ratios are what can be compared between machines. The broker and the
// store are children of this process (child.go), so that CPU time, by getrusage, is the consumer's alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	records int
	rounds  int
	sites   []int
	writes  int
	profile string
}

func run(ctx context.Context) error {
	var o options
	role := flag.String("role", "", "what this process is, when the program starts itself: broker or store")
	flag.IntVar(&o.records, "records", 500_000, "records of each topic that is consumed; 0: leave the part out")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of what is measured in turns")
	flag.IntVar(&o.writes, "writes", 20_000, "writes of each kind a round; 0: leave the part out")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile of as many more rounds of the pipeline to this file, for the first "+
		"number of sites")
	sites := flag.String("sites", "100,1,10000", "numbers of sites to consume, with a topic each")
	flag.Parse()
	switch *role {
	case "broker":
		return runBroker()
	case "store":
		return runStore()
	}
	for s := range strings.SplitSeq(*sites, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return fmt.Errorf("-sites %q: write positive numbers with commas between them", *sites)
		}
		o.sites = append(o.sites, n)
	}
	if o.rounds < 1 {
		return fmt.Errorf("-rounds %d: write 1 or more", o.rounds)
	}
	if o.records > 0 {
		if err := records(ctx, o); err != nil {
			return err
		}
	}
	if o.writes > 0 {
		if err := writes(ctx, o); err != nil {
			return err
		}
	}
	return sizes()
}

// records prints CPU per record of the pipeline and of a client that discards, in turns.
func records(ctx context.Context, o options) error {
	broker, err := startChild("broker")
	if err != nil {
		return err
	}
	defer broker.end()
	fmt.Printf("CPU per record: franz-go discarding its records, and the pipeline from poll to plan into a table that discards\n")
	fmt.Printf("  method: %d rounds in turns, %d records of an hour of traffic each, %d events a session, 8 partitions, lz4, broker in\n"+
		"  its own process; CPU of this process by getrusage; realtime on, raw events off, and of the rest what is named;\n"+
		"  GOMAXPROCS %d; the ratio of the least rounds, and the median of the rounds' ratios\n\n",
		o.rounds, o.records, len(clickers), runtime.GOMAXPROCS(0))
	fmt.Printf("  %7s %7s %-27s | %26s | %35s | %17s\n", "", "bytes", "", "discard, CPU ns a record", "pipeline, CPU ns a record",
		"discard/pipeline")
	fmt.Printf("  %7s %7s %-27s | %8s %8s %8s | %8s %8s %8s %8s | %8s %8s\n", "sites", "a value", "with", "least", "median", "rec/s",
		"least", "median", "allocs", "rec/s", "least", "median")
	for i, sites := range o.sites {
		features := variants()
		if i > 0 { // Only the first number of sites is measured feature by feature, and profiled.
			features = []variant{features[0], features[len(features)-1]}
			o.profile = ""
		}
		if err := recordsOf(ctx, o, broker.addr, sites, features); err != nil {
			return fmt.Errorf("%d sites: %w", sites, err)
		}
	}
	fmt.Println("  required: a ratio of 0.18 or more at 100 sites without breakdowns; the goal is 0.50 with all")
	fmt.Println()
	return nil
}

// recordsOf prints the row of each feature at a number of sites, and writes the profile of the last one if the options name a file.
func recordsOf(ctx context.Context, o options, broker string, sites int, features []variant) error {
	topic := "sites-" + strconv.Itoa(sites)
	l := load{sites: sites, partitions: 8, hourly: o.records, script: clickers, think: 40 * time.Second}
	bytes, err := fill(ctx, broker, topic, l, time.Now(), o.records) // No realtime minute has expired when it is written.
	if err != nil {
		return err
	}
	var nothing []cost
	folded, ratios := make([][]cost, len(features)), make([][]float64, len(features))
	for round := range o.rounds {
		a, err := measure(o.records, func() error { return consumeNothing(ctx, broker, topic, o.records) })
		if err != nil {
			return err
		}
		nothing = append(nothing, a)
		for i, v := range features {
			r := pipelineRun{broker, topic, fmt.Sprint(topic, "-", round, "-", i), o.records, v.settings}
			b, err := measure(o.records, func() error { return runPipeline(ctx, r) })
			if err != nil {
				return err
			}
			folded[i], ratios[i] = append(folded[i], b), append(ratios[i], a.cpu/b.cpu)
		}
	}
	a := least(nothing)
	for i, v := range features {
		b := least(folded[i])
		fmt.Printf("  %7d %7.0f %-27s | %8.0f %8.0f %8.0f | %8.0f %8.0f %8.2f %8.0f | %8.2f %8.2f\n", sites, bytes, v.name,
			a.cpu, median(cpus(nothing)), a.rate, b.cpu, median(cpus(folded[i])), b.allocs, b.rate, a.cpu/b.cpu, median(ratios[i]))
	}
	if o.profile == "" {
		return nil
	}
	f, err := os.Create(o.profile)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for round := range o.rounds {
		r := pipelineRun{broker, topic, fmt.Sprint(topic, "-profile", round), o.records, features[len(features)-1].settings}
		if err := runPipeline(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
