package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/slow"
)

// A runner runs tests with a bug planted.
type runner struct {
	root, dir string
	seeds     int
	table     string // folder of the table, in which the seeds that noticed a bug are written; empty: nowhere
}

// run plants each bug by itself, in as many test processes at once as there are processors, prints a table of what noticed each, and
// returns an error if one was not noticed. With the bugs it may run all that catches them without one, which must notice nothing.
func (r *runner) run(ctx context.Context, bugs []bug, withoutBug bool) error {
	var all []catcher
	for _, b := range bugs {
		for _, c := range b.by {
			all = append(all, catcher{pkg: c.pkg, test: c.test})
		}
	}
	slices.SortFunc(all, func(a, b catcher) int { return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test)) })
	all = slices.Compact(all)
	if err := r.build(ctx, all); err != nil {
		return err
	}
	var table strings.Builder
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "bug\tcaught by\tdifferences\ttook\tCPU\tone of them")
	verdicts, err := r.tryAll(ctx, bugs)
	if err != nil {
		return err
	}
	caught, cpu := 0, time.Duration(0)
	var errs []error
	for i, b := range bugs {
		missed := false
		for j, c := range b.by {
			v := verdicts[i][j]
			fmt.Fprintf(rows, "%s\t%s\t%s\t%v\t%v\t%s\n", b.name, cmp.Or(v.by, "NOT CAUGHT"), v.differences, v.took, v.cpu, v.one)
			cpu += v.cpu
			if v.by == "" {
				missed = true
				errs = append(errs, fmt.Errorf("%s: bug %q is not caught by %s %s", b.where, b.name, c.pkg, c.test))
			}
		}
		if !missed {
			caught++
		}
	}
	for _, c := range all {
		if !withoutBug {
			break
		}
		v, err := r.try(ctx, "", c)
		if err != nil {
			return err
		}
		fmt.Fprintf(rows, "none\t%s %s\t%s\t%v\t%v\t%s\n", cmp.Or(v.by, "nothing, by"), c.test, v.differences, v.took, v.cpu, v.one)
		if v.by != "" {
			errs = append(errs, fmt.Errorf("no bug is planted, and %s %s fails:\n%s", c.pkg, c.test, v.output))
		}
	}
	rows.Flush()
	fmt.Printf("%stests with bugs: %v of CPU\n%d of %d caught\n", &table, cpu.Round(time.Second), caught, len(bugs))
	if r.table != "" {
		errs = append(errs, writeSeeds(r.table, seedsOf(bugs, verdicts)))
	}
	return errors.Join(errs...)
}

// seedsOf returns the seed in which the simulation noticed each bug that it did.
func seedsOf(bugs []bug, verdicts [][]verdict) map[string]int {
	seeds := make(map[string]int)
	for i, b := range bugs {
		for _, v := range verdicts[i] {
			if v.seed > 0 {
				seeds[b.name] = v.seed
			}
		}
	}
	return seeds
}

// tryAll runs what is to catch each bug with it, and says so as it goes. The verdicts are by bug and catcher.
func (r *runner) tryAll(ctx context.Context, bugs []bug) ([][]verdict, error) {
	verdicts := make([][]verdict, len(bugs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for i, b := range bugs {
		verdicts[i] = make([]verdict, len(b.by))
		for j, c := range b.by {
			g.Go(func() error {
				v, err := r.try(ctx, b.name, c)
				if err != nil {
					return fmt.Errorf("%s: bug %q: %w", b.where, b.name, err)
				}
				fmt.Printf("%s: %s, %v\n", b.name, cmp.Or(v.by, "NOT CAUGHT"), v.took)
				verdicts[i][j] = v
				return nil
			})
		}
	}
	return verdicts, g.Wait()
}

// build compiles the tests of the packages.
func (r *runner) build(ctx context.Context, all []catcher) error {
	args := []string{"test", "-c", "-ldflags=-s -w", "-overlay", overlayFile(r.dir), "-o", r.dir + string(filepath.Separator)}
	for i, c := range all {
		if i == 0 || all[i-1].pkg != c.pkg {
			args = append(args, "./"+c.pkg)
		}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the tests with the bugs: %w\n%s", err, out)
	}
	return nil
}

// binary returns the file of a package's tests. The go command names it after the last folder, and refuses two of one name.
func (r *runner) binary(pkg string) string { return filepath.Join(r.dir, path.Base(pkg)+".test") }

// A verdict is what a test said of a bug.
type verdict struct {
	by          string // what has noticed it; empty: nothing
	differences string // how many the simulation found
	seed        int    // of the simulation
	one         string // the first difference, or the first failed subtest
	took, cpu   time.Duration
	output      string
}

// maxSeconds is how much CPU time a test with a bug may take, in seconds. 400 seeds take some 240.
const maxSeconds = 900

// subtest finds the first failed subtest, at the outermost level, whose name a catcher may have.
var subtest = regexp.MustCompile(`(?m)^ +--- FAIL: (\S+)`)

var difference = regexp.MustCompile(`(\d+) differences; again: .*-seed (\d+)\n\s*(.*)`)

// maxTries is how often the seed that the table names is simulated before all others are. That takes a second each time, the others take
// up to maxSeconds.
const maxTries = 4

// try runs a test with a bug. The simulation begins with the seed that the table names, if it does. What a seed does depends a little on
// how goroutines are scheduled. So where that one notices nothing, it is tried again, and then the others follow from the first.
func (r *runner) try(ctx context.Context, bug string, c catcher) (v verdict, err error) {
	if !c.simulates() {
		return r.test(ctx, bug, c, "-test.failfast") // One failed subtest is enough.
	}
	var took, cpu time.Duration // of the tries that noticed nothing
	for i := 0; c.seed > 0 && i < maxTries; i++ {
		v, err = r.test(ctx, bug, c, "-seed", strconv.Itoa(c.seed))
		v.took, v.cpu = v.took+took, v.cpu+cpu
		if err != nil || v.by != "" {
			return v, err
		}
		took, cpu = v.took, v.cpu
	}
	v, err = r.test(ctx, bug, c, "-seeds", strconv.Itoa(r.seeds), "-untilfound")
	v.took, v.cpu = v.took+took, v.cpu+cpu
	return v, err
}

// test runs a test once with a bug.
func (r *runner) test(ctx context.Context, bug string, c catcher, options ...string) (v verdict, err error) {
	// A bug may make a loop endless. What ends it is CPU time, as beside other steps a test may take long for the little it computes.
	args := append([]string{"-c", fmt.Sprintf(`ulimit -t %d && exec "$0" "$@"`, maxSeconds),
		r.binary(c.pkg), "-test.run", "^" + strings.ReplaceAll(c.test, "/", "$/^") + "$", "-test.timeout", "1h"}, options...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(c.pkg))
	cmd.Env = append(os.Environ(), chooses+"="+bug, slow.Env+"=1") // A slow test may be what catches it.
	start := time.Now()
	out, err := cmd.CombinedOutput()
	v = verdict{took: time.Since(start).Round(100 * time.Millisecond), output: string(out)}
	if s := cmd.ProcessState; s != nil {
		v.cpu = (s.UserTime() + s.SystemTime()).Round(100 * time.Millisecond)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || ctx.Err() != nil || exit.ExitCode() != 1) {
		return v, fmt.Errorf("%s %s: %w\n%s", c.pkg, c.test, err, out) // It was killed, or panicked.
	}
	if strings.Contains(v.output, "no tests to run") {
		return v, fmt.Errorf("package %s has no test %s", c.pkg, c.test)
	}
	if err == nil {
		return v, nil
	}
	v.by = c.test
	if failed := subtest.FindStringSubmatch(v.output); failed != nil {
		v.one = failed[1]
	}
	if c.simulates() {
		m := difference.FindStringSubmatch(v.output)
		if m == nil {
			return v, fmt.Errorf("the simulation failed, and names no difference:\n%s", out)
		}
		v.by, v.differences, v.one = "simulation, seed "+m[2], m[1], m[3][:min(len(m[3]), 110)]
		v.seed, _ = strconv.Atoi(m[2])
	}
	return v, nil
}
