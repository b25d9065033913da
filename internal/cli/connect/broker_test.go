package connect_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/embedded"
)

// failureOf is the exit code of a command that cannot ask what it needs.
func failureOf(name string) int {
	if name == "status" { // 1 is about the topic.
		return command.CodeUnanswered
	}
	return 1
}

// brokerOnAnothersPort makes a directory whose broker is down, and another whose broker has its port. It begins again if a process beside
// the test takes the port in between.
func brokerOnAnothersPort(t *testing.T) (dir, other string, broker *embedded.Broker) {
	t.Helper()
	for {
		dir, other = t.TempDir(), t.TempDir()
		clitest.DevDirectory(t, dir)
		if err := os.Link(filepath.Join(dir, "port"), filepath.Join(other, "port")); err != nil {
			t.Fatal(err)
		}
		broker, err := embedded.Open(other)
		switch {
		case err == nil:
			return dir, other, broker
		case !errors.Is(err, syscall.EADDRINUSE):
			t.Fatal(err)
		}
	}
}

// A directory's broker is down, and another directory's has its port: no command may take one for the other.
func TestAnotherDirectorysBrokerIsRefused(t *testing.T) {
	dir, other, broker := brokerOnAnothersPort(t)
	defer broker.Close()
	if err := broker.CreateTopic(command.DevTopic, 1); err != nil {
		t.Fatal(err)
	}
	refused := func(want []string, args ...string) {
		t.Helper()
		fails := failureOf(args[0])
		code, out, errs := clitest.Footfall(t, append(args, "--data", dir)...)
		for _, want := range append(want, dir, "the broker of directory "+other+" answers", broker.Addr()) {
			if code != fails || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%v: exit code %d, stdout %q, stderr %q; want %d and %q", args, code, out, errs, fails, want)
			}
		}
	}
	for _, command := range [][]string{{"produce", "--events", "5"}, {"run"}} {
		refused([]string{"start `footfall dev --data " + dir}, command...)
	}
	look := clitest.Must(embedded.OpenAnywhere(dir)) // As another verify does meanwhile.
	for _, command := range [][]string{{"verify"}, {"status"}, {"failed", "replay"}} {
		refused([]string{fmt.Sprintf("in use by another process (process %d)", os.Getpid())}, command...)
	}
	if err := look.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := clitest.Footfall(t, "status", "--data", dir); code != 0 {
		t.Errorf("status of a directory that no process has open: exit code %d, stderr %q", code, errs)
	}
	client := clitest.Must(kgo.NewClient(kgo.SeedBrokers(broker.Addr())))
	defer client.Close()
	clitest.Must(kadm.NewClient(client).ListEndOffsets(t.Context(), command.DevTopic)).Each(func(end kadm.ListedOffset) {
		if end.Offset != 0 {
			t.Errorf("the other directory's topic has %d records, want none", end.Offset)
		}
	})
}

// While a command looks into a directory that no dev runs, others say who has it open.
func TestWhoHoldsADirectoryIsNamed(t *testing.T) {
	dir := t.TempDir()
	clitest.DevDirectory(t, dir)
	look := clitest.Must(embedded.OpenAnywhere(dir))
	defer look.Close()
	for _, command := range [][]string{{"verify"}, {"status"}, {"failed", "replay"}} {
		code, _, errs := clitest.Footfall(t, append(command, "--data", dir)...)
		if want := fmt.Sprintf("in use by another process (process %d)", os.Getpid()); code != failureOf(command[0]) ||
			!strings.Contains(errs, want) || strings.Contains(errs, "start Kafka") {
			t.Errorf("%v: exit code %d, stderr %q; want %d and %q", command, code, errs, failureOf(command[0]), want)
		}
	}
}

// A copy has its own broker and its own table, whether dev has started there or not.
func TestCopyOfADirectoryHasItsOwnTable(t *testing.T) {
	dir := t.TempDir()
	clitest.DevDirectory(t, dir)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := clitest.Footfall(t, "site", "create", "copied.example", "--data", copied); code != 0 {
		t.Fatalf("site create: exit code %d, stderr %q", code, errs)
	}
	for _, c := range []struct {
		dir  string
		want bool
	}{{dir, false}, {copied, true}} {
		if _, out, errs := clitest.Footfall(t, "site", "list", "--data", c.dir); strings.Contains(out, "copied.example") != c.want {
			t.Errorf("site list in %s: %q, stderr %q; want the copy's site: %v", c.dir, out, errs, c.want)
		}
	}
}

// Brokers that the command line names are the ones that are meant, whatever the directory says.
func TestNamedBrokersWinOverTheDirectorys(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	clitest.DevDirectory(t, dir)
	clitest.DevDirectory(t, other)
	broker := clitest.Must(embedded.Open(other))
	defer broker.Close()
	code, _, errs := clitest.Footfall(t, "produce", "--data", dir, "--brokers", broker.Addr(), "--events", "5", "--rate", "0")
	if code != 0 {
		t.Errorf("produce --data --brokers: exit code %d, stderr %q", code, errs)
	}
}
