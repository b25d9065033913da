package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// childEnv makes the test binary a second process: "endless PATH" or "count N PATH".
const childEnv = "FOOTFALL_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	if order := os.Getenv(childEnv); order != "" {
		if err := child(order); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// counter is what the children count in, and mirror a second item that each of their updates is followed by.
var (
	counter = sinks.Key{PK: "counter", SK: "n"}
	mirror  = sinks.Key{PK: "counter", SK: "mirror"}
)

// child counts in the counter, and prints each number it has been answered with.
func child(order string) error {
	var times int
	var path string
	if n, _ := fmt.Sscanf(order, "count %d", &times); n == 1 {
		path = order[len(fmt.Sprintf("count %d ", times)):]
	} else {
		times, path = 1<<62, order[len("endless "):]
	}
	t, err := Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	for range times {
		r, err := t.Update(context.Background(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}, Return: true})
		if err != nil {
			return err
		}
		n := r.Item["n"]
		if _, err := t.Update(context.Background(), sinks.Update{Key: mirror, Set: []sinks.Attr{{Name: "n", Value: n}}}); err != nil {
			return err
		}
		fmt.Println(n.Int())
	}
	return nil
}

// startChild starts a second process, which ends with the test at the latest, and returns the numbers it prints.
func startChild(t *testing.T, order string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+order)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func printed(t *testing.T, s *bufio.Scanner) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s.Text(), 10, 64)
	if err != nil {
		t.Fatalf("the second process printed %q", s.Text())
	}
	return n
}

// countOf reads the counter and its mirror in one call.
func countOf(t *testing.T, table *Table) (n, mirrored int64) {
	t.Helper()
	r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{counter, mirror}, Consistent: true})
	if err != nil {
		t.Fatalf("BatchGet = %v", err)
	}
	return r.Items[counter]["n"].Int(), r.Items[mirror]["n"].Int()
}

func createdFile(t *testing.T) (*Table, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.db")
	table := openTable(t, path)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatalf("Create = %v", err)
	}
	return table, path
}

func TestKilledWriterLosesNothingAnswered(t *testing.T) {
	_, path := createdFile(t)
	var answered int64
	for kill := range 5 {
		cmd, out := startChild(t, "endless "+path)
		for range 50 * (kill + 1) {
			if !out.Scan() {
				t.Fatalf("the writer ended by itself: %v", cmd.Wait())
			}
			answered = printed(t, out)
		}
		if err := cmd.Process.Kill(); err != nil { // SIGKILL
			t.Fatal(err)
		}
		for out.Scan() { // What it had still been answered.
			answered = printed(t, out)
		}
		cmd.Wait()

		table := openTable(t, path)
		n, mirrored := countOf(t, table)
		// One more update may have been committed than was printed. The mirror lags by one at most, never leads.
		if n < answered || n > answered+1 || mirrored > n || mirrored < n-1 {
			t.Fatalf("after kill %d: the counter is %d, its mirror %d, but %d was answered", kill+1, n, mirrored, answered)
		}
		if text, err := check(t, table); err != nil || text != "ok" {
			t.Fatalf("after kill %d: integrity check = %q, %v", kill+1, text, err)
		}
		table.Close()
	}
}

func check(t *testing.T, table *Table) (text string, err error) {
	err = table.read(t.Context(), func(c *conn) error {
		text, err = c.text("PRAGMA integrity_check")
		return err
	})
	return text, err
}

func TestReadersSeeAnotherProcessWrite(t *testing.T) {
	table, path := createdFile(t)
	cmd, out := startChild(t, "count 200 "+path)
	var reads int
	for out.Scan() {
		answered := printed(t, out)
		n, mirrored := countOf(t, table)
		if n < answered || mirrored < answered || mirrored > n || mirrored < n-1 {
			t.Fatalf("a reader saw %d and the mirror %d after %d was answered", n, mirrored, answered)
		}
		reads++
	}
	if err := cmd.Wait(); err != nil || reads != 200 {
		t.Fatalf("the writer ended with %v after %d numbers, want 200", err, reads)
	}
}

func TestTwoProcessesWriteOneFile(t *testing.T) {
	table, path := createdFile(t)
	const times = 150
	cmd, out := startChild(t, fmt.Sprintf("count %d %s", times, path))
	for range times {
		if _, err := table.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}); err != nil {
			t.Fatalf("Update = %v", err)
		}
	}
	for out.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the other writer ended with %v", err)
	}
	if n, _ := countOf(t, table); n != 2*times {
		t.Errorf("two writers counted to %d, want %d", n, 2*times)
	}
}
