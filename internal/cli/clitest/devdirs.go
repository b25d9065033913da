package clitest

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/sinks"
)

// NewDevDirectory makes what dev finds at its second start: a directory with a broker that runs, a topic and a table.
func NewDevDirectory(t *testing.T) (string, *embedded.Broker, *connect.Table) {
	t.Helper()
	dir := t.TempDir()
	broker := Must(embedded.Open(dir))
	if err := broker.CreateTopic(command.DevTopic, 1); err != nil {
		t.Fatal(err)
	}
	d := Must(command.WriteDevFile(dir, broker.Addr()))
	table := Must(connect.Open(t.Context(), d.Table))
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	return dir, broker, table
}

// DevDirectory makes what footfall dev leaves in a directory, but for traffic.
func DevDirectory(t *testing.T, dir string) {
	t.Helper()
	broker := Must(embedded.Open(dir))
	defer broker.Close()
	if err := broker.CreateTopic(command.DevTopic, 1); err != nil {
		t.Fatal(err)
	}
	table := Must(connect.Open(t.Context(), Must(command.WriteDevFile(dir, broker.Addr())).Table))
	defer table.Close()
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
}

// Child is the command in a process of its own.
type Child struct {
	*exec.Cmd
	Out, Err bytes.Buffer
}

// Interrupt ends a command as Ctrl-C does.
func (c *Child) Interrupt(t *testing.T) {
	t.Helper()
	c.Process.Signal(os.Interrupt)
	if err := c.Wait(); err != nil {
		t.Fatalf("%q: %v\n%s", c.Args, err, &c.Err)
	}
}

// StartChild starts the command as a child process, which ends with the test.
func StartChild(t *testing.T, args ...string) *Child {
	t.Helper()
	c := &Child{Cmd: exec.Command(os.Args[0], args...)}
	c.Env = append(os.Environ(), AsFootfall+"=1")
	c.Stdout, c.Stderr = &c.Out, &c.Err
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return c
}

// CaughtUp has dev count what is left of a directory's topic: dev waits only so long for the rest when it is interrupted.
func CaughtUp(t *testing.T, dir string) {
	t.Helper()
	behind := func() bool {
		code, _, _ := Footfall(t, "status", "--data", dir, "--max-lag", "0")
		return code != 0
	}
	if behind() {
		devUntil(t, dir, "what was sent is counted", func() bool { return !behind() }, "--rate", "0")
	}
}

// devCounted is a directory of footfall dev that has counted 200 records at least, and some of each partition. No process has it open.
var devCounted struct {
	once sync.Once
	dir  string
}

// CountedDirectory returns a copy of such a directory, whose broker takes a port of its own.
func CountedDirectory(t *testing.T) string {
	t.Helper()
	devCounted.once.Do(func() {
		dir := Must(os.MkdirTemp("", "footfall-counted"))
		DevRecords(t, dir)
		if n := WrittenDown(t, dir); n < 200 {
			devUntil(t, dir, "200 records are counted", func() bool { return WrittenDown(t, dir) >= 200 })
		}
		CaughtUp(t, dir)
		devCounted.dir = dir
	})
	if devCounted.dir == "" {
		t.Fatal("no directory was counted: see the first test that failed")
	}
	dir := t.TempDir()
	if err := errors.Join(os.CopyFS(dir, os.DirFS(devCounted.dir)), os.Remove(filepath.Join(dir, "port"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Passed is up to which offsets the chains have passed the partitions of the directory's topic.
func Passed(t *testing.T, dir string) map[int32]int64 {
	t.Helper()
	table := filepath.Join(dir, command.DevTable)
	if _, err := os.Stat(table); err != nil {
		return nil
	}
	next, err := ChainOffsetsOf(t, "sqlite://"+table, command.DevTopic, command.DevPartitions)
	if err != nil {
		return nil // The table is about to be made.
	}
	return next
}

// devUntil runs dev on a directory, with traffic, until something is so.
func devUntil(t *testing.T, dir, what string, so func() bool, args ...string) {
	t.Helper()
	// No more than a busy machine counts as fast as it comes.
	c := StartChild(t, append([]string{"dev", "--data", dir, "--rate", "300", "--plain"}, args...)...)
	Eventually(t, what, so)
	c.Interrupt(t)
}

// DevRecords runs dev on a directory until some records are counted of each partition.
func DevRecords(t *testing.T, dir string, args ...string) {
	t.Helper()
	devUntil(t, dir, "each partition has records", func() bool {
		next := Passed(t, dir)
		return len(next) == command.DevPartitions && !slices.Contains(slices.Collect(maps.Values(next)), 0)
	}, args...)
}

// WrittenDown is how many records of the directory's topic the chains have passed.
func WrittenDown(t *testing.T, dir string) (n int64) {
	t.Helper()
	for _, offset := range Passed(t, dir) {
		n += offset
	}
	return n
}

// ChainOffsetsOf returns the offsets that the chains of a table have passed, by partition.
func ChainOffsetsOf(t *testing.T, url, topic string, partitions int) (map[int32]int64, error) {
	t.Helper()
	table, err := connect.Open(t.Context(), url)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	return engine.ChainOffsets(t.Context(), table, topic, partitions)
}
