// Plant plants bugs in footfall, one at a time, and requires that a test notices each. A checker that has never failed proves nothing.
//
//	go run ./internal/plant
//
// The files in bugs/ are the table of bugs. An entry replaces statements of the source by wrong ones and names what must catch them:
//
//	## open step not redone
//
//	The new owner continues after it.
//
//	caught by: simulation, seed 3
//
//	--- pipeline/lanestart.go Pipeline.resume
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
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	var only string
	var hints bool
	seeds := flag.Int("seeds", 400, "number of `seeds` in which the simulation must notice a bug, and nothing where there is none")
	flag.StringVar(&only, "bug", "", "plant only the bugs whose name matches the `pattern`, and skip the run without a bug")
	flag.BoolVar(&hints, "seed-hints", false, "name in the table the seed in which the simulation noticed each bug")
	overlay := flag.String("overlay", "", "write the overlay to this `directory`, for go build -overlay DIRECTORY/overlay.json, and stop")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, only, *seeds, *overlay, hints); err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, seeds int, overlay string, hints bool) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	table := filepath.Join(root, "internal", "plant", "bugs")
	bugs, err := readTable(table)
	if err != nil {
		return err
	}
	dir := overlay
	if dir == "" {
		if dir, err = os.MkdirTemp("", "plant"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := writeOverlay(root, dir, bugs); err != nil || overlay != "" {
		return err
	}
	var chosen []bug
	for _, b := range bugs {
		if wanted.MatchString(b.name) {
			chosen = append(chosen, b)
		}
	}
	r := &runner{root: root, dir: dir, seeds: seeds}
	if hints {
		r.table = table
	}
	return r.run(ctx, chosen, only == "")
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}
