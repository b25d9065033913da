// Plant plants bugs in footfall, one at a time, and requires that a test notices each. A checker that has never failed proves nothing.
//
//	go run ./internal/plant [-bug PATTERN] [-since COMMIT [-seed N]]
//
// The files in bugs/ are the table of bugs. An entry replaces statements of the source by wrong ones and names what must catch them:
//
//	## open step not redone
//
//	The new owner continues after it.
//
//	caught by: simulation, seed 3
//
//	--- pipeline/resume.go taker.resume
//	+	if !c.Head.Done {
//	+		return nil, nil
//	+	}
//	 	if c.Head.Done {
//	 		return nil, nil
//	 	}
//
// "caught by" is the simulation or a test, as in "caught by: sketch TestMergeInAnyOrderAgrees", or a subtest, as in "caught by: query
// TestSQLite/Uniques", which takes less time than all of them. Several such lines require each of them.
// The seed is where the simulation begins. It may be left out, and go run ./internal/plant -seed-hints fills it in.
// A line with --- names a file and a function (F, or T.F for a method), and the edit follows as a diff. The lines with a blank and with -
// must be whole statements that follow each other exactly once in that function. Layout and comments do not count. Replaced statements may
// not declare a variable. Instead, keep the declaration and add an assignment. An edit may add an import: +import "math".
//
// The product contains none of this. All bugs are built into one set of test binaries by an overlay (see go help build), where an
// environment variable that is read once chooses the bug. The table is checked against the source by this package's tests.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/changed"
)

// options are the flags.
type options struct {
	only, since, overlay string
	seeds                int
	draw                 uint64
	hints                bool
}

func main() {
	var o options
	flag.IntVar(&o.seeds, "seeds", 400, "number of `seeds` in which the simulation must notice a bug, and nothing where there is none")
	flag.StringVar(&o.only, "bug", "", "plant only the bugs whose name matches the `pattern`, and skip the run without a bug")
	flag.BoolVar(&o.hints, "seed-hints", false, "name in the table the seed in which the simulation noticed each bug")
	flag.StringVar(&o.since, "since", "",
		"plant the bugs of packages that the change since this `commit` can break, and a random tenth of the others")
	flag.Uint64Var(&o.draw, "seed", rand.Uint64N(1e6), "with -since: `number` that draws the tenth")
	flag.StringVar(&o.overlay, "overlay", "", "write the overlay to this `directory`, for go build -overlay DIRECTORY/overlay.json, and stop")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	table := filepath.Join(root, "internal", "plant", "bugs")
	bugs, err := readTable(table)
	if err != nil {
		return err
	}
	dir := o.overlay
	if dir == "" {
		if dir, err = os.MkdirTemp("", "plant"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := writeOverlay(root, dir, bugs); err != nil || o.overlay != "" {
		return err
	}
	chosen, err := o.choose(ctx, root, bugs)
	if err != nil {
		return err
	}
	r := &runner{root: root, dir: dir, seeds: o.seeds}
	if o.hints {
		r.table = table
	}
	return r.run(ctx, chosen, o.only == "" && o.since == "")
}

// choose returns the bugs to plant.
func (o options) choose(ctx context.Context, root string, bugs []bug) (chosen []bug, err error) {
	wanted, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	bugs = slices.DeleteFunc(bugs, func(b bug) bool { return !wanted.MatchString(b.name) })
	if o.since == "" {
		return bugs, nil
	}
	set, err := changed.Since(ctx, root, o.since)
	if err != nil {
		return nil, err
	}
	chosen = changed.Choose(bugs, func(b bug) bool { return b.within(set) }, o.draw)
	fmt.Printf("%d of %d bugs: those of packages changed since %s and a tenth of the others, drawn with -seed %d\n",
		len(chosen), len(bugs), o.since, o.draw)
	return chosen, nil
}

// within reports whether a bug is planted in a package of the set, or the test that catches it is one of its tests.
func (b bug) within(set changed.Set) bool {
	return slices.ContainsFunc(b.edits, func(e edit) bool { return set.Has(path.Dir(e.file)) }) ||
		slices.ContainsFunc(b.by, func(c catcher) bool { return set.Has(c.pkg) })
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}
