// Testrun runs the tests of several packages: it starts one Kafka and one DynamoDB Local for all of them, runs go test through gotestsum,
// and prints at the end how to repeat each failure alone. In a run of all packages both start at once, and the packages that take longest
// come first.
//
//	go run ./internal/testrun [-all] [-complete] [-json FILE] [-- ARGUMENTS OF go test]
//	go run ./internal/testrun -left-by FILE [-since COMMIT] [-seed N] [-in FOLDERS] [-not-in FOLDERS] [-- ARGUMENTS OF go test]
//
// Without -all, slow tests leave themselves out (package slow). The second form runs those that the run which wrote FILE left out: of
// packages that the change since COMMIT can break all, of others a random tenth. Two runs may share these by folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/footfall/footfall/internal/changed"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// options are the flags.
type options struct {
	all, complete       bool
	json, leftBy, since string
	seed                uint64
	in, notIn           string
	goTest              []string // arguments of go test
}

func main() {
	var o options
	flag.BoolVar(&o.all, "all", false, "run slow tests as well")
	flag.BoolVar(&o.complete, "complete", false, "fail if a test leaves itself out for another reason than being slow")
	flag.StringVar(&o.json, "json", "", "`file` for what each test printed, as go test -json writes it")
	flag.StringVar(&o.leftBy, "left-by", "", "run the slow tests that the run which wrote this `file` with -json left out")
	flag.StringVar(&o.since, "since", "", "with -left-by: the `commit` since which packages count as changed; none: all are changed")
	flag.Uint64Var(&o.seed, "seed", rand.Uint64N(1e6), "with -left-by: `number` that draws a tenth of the slow tests of unchanged packages")
	flag.StringVar(&o.in, "in", "", "with -left-by: run those of these `folders` alone, as \"e2e internal/bench\"")
	flag.StringVar(&o.notIn, "not-in", "", "with -left-by: run none of these `folders`")
	flag.Parse()
	o.goTest = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.leftBy != "" {
		chosen, err := o.leftOut(ctx)
		if err != nil || len(chosen) == 0 {
			return err
		}
		o.all = true
		o.goTest = slices.Concat([]string{"-run", pattern(chosen)}, o.goTest, packages(chosen))
	}
	if o.json == "" {
		dir, err := os.MkdirTemp("", "footfall-testrun-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.json = filepath.Join(dir, "tests.json")
	}
	env, stop, err := testenv.Share(slices.Contains(o.goTest, everything))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	failed := o.gotestsum(ctx, env)
	results, err := readFile(o.json)
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, line := range again(results, o.all) {
		fmt.Println(line)
	}
	if left := incomplete(results); o.complete && len(left) > 0 {
		failed = errors.Join(failed, fmt.Errorf("tests left themselves out, which none may here:\n%s", strings.Join(left, "\n")))
	}
	return failed
}

// gotestsum runs go test.
func (o options) gotestsum(ctx context.Context, env string) error {
	args := []string{"tool", "gotestsum", "--format", "pkgname", "--format-hide-empty-pkg", "--hide-summary=skipped",
		"--jsonfile", o.json, "--"}
	args = append(args, "-p", strconv.Itoa(runtime.NumCPU()+2)) // Tests wait for services at times. The caller's -p comes later, and holds.
	cmd := exec.CommandContext(ctx, "go", append(args, longestFirst(o.goTest)...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), env)
	if os.Getenv("GOGC") == "" {
		cmd.Env = append(cmd.Env, "GOGC=400") // Heaps of compilers and tests are small, and may grow. It saves a sixth of the CPU time.
	}
	if o.all {
		cmd.Env = append(cmd.Env, slow.Env+"=1")
	}
	return cmd.Run()
}

// leftOut returns the slow tests to run, and says which they are.
func (o options) leftOut(ctx context.Context) ([]test, error) {
	results, err := readFile(o.leftBy)
	if err != nil {
		return nil, err
	}
	is := func(string) bool { return true }
	if o.since != "" {
		set, err := changed.Since(ctx, ".", o.since)
		if err != nil {
			return nil, err
		}
		is = set.Has
	}
	all := slowTests(results)
	chosen := changed.Choose(all, func(t test) bool { return is(t.pkg) }, o.seed)
	chosen, all = o.ofFolders(chosen), o.ofFolders(all)
	fmt.Printf("slow tests: %d of %d, those of packages changed since %q and a tenth of the others, drawn with -seed %d\n",
		len(chosen), len(all), o.since, o.seed)
	return chosen, nil
}

// ofFolders returns those of the folders that this run takes.
func (o options) ofFolders(tests []test) []test {
	in, notIn := strings.Fields(o.in), strings.Fields(o.notIn)
	return slices.DeleteFunc(slices.Clone(tests), func(t test) bool {
		return len(in) > 0 && !slices.Contains(in, t.pkg) || slices.Contains(notIn, t.pkg)
	})
}
