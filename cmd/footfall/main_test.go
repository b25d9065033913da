package main

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/testenv"
)

// asFootfall is set in a child process of these tests, which then is the command itself.
const asFootfall = "FOOTFALL_TEST_AS_FOOTFALL"

func TestMain(m *testing.M) {
	if os.Getenv(asFootfall) != "" {
		main()
	}
	code := testenv.Run(m)
	closeChromium()
	os.RemoveAll(devCounted.dir)
	os.Exit(code)
}

// footfall runs a command line in this process.
func footfall(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &stdout, err: &stderr}
	code = a.execute(t.Context(), args)
	return code, stdout.String(), stderr.String()
}

// watcher is an output that tells when a text has been written to it.
type watcher struct {
	mu   sync.Mutex // covers all below
	text strings.Builder
	want string
	seen chan struct{}
}

func watchFor(text string) *watcher { return &watcher{want: text, seen: make(chan struct{})} }

func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if w.want != "" && strings.Contains(w.text.String(), w.want) {
		w.want = ""
		close(w.seen)
	}
	return len(p), nil
}

func (w *watcher) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func TestWrongUsageIsExitCodeTwo(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no command is near", []string{"query", "foo"}, `unknown command "foo" for "footfall query"`},
		{"unknown command", []string{"rnu"}, `unknown command "rnu" for "footfall": did you mean run?`},
		{"unknown command of a group", []string{"config", "prnt"}, `unknown command "prnt" for "footfall config": did you mean print?`},
		{"unknown flag", []string{"run", "--brokr"}, "unknown flag: --brokr"},
		{"argument too many", []string{"run", "now"}, `unexpected argument "now": footfall run takes flags only`},
		{"flag of the wrong type", []string{"dev", "--sites", "many"}, `--sites "many": not a whole number`},
		{"flag out of range", []string{"dev", "--sites", "0"}, "--sites 0: write 1 to"},
		{"columns of JSON", []string{"query", "sites", "--columns", "siteId", "--output", "json"}, `columns "siteId": JSON has all fields`},
		{"flag that dev does not take", []string{"dev", "--table", "sqlite://x"}, "--table: footfall dev brings its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := footfall(t, c.args...)
			if code != 2 || out != "" || !strings.Contains(errs, c.want) || !strings.Contains(errs, "--help'.") {
				t.Errorf("exit code %d, stdout %q, stderr %q; want 2, nothing, %q and a hint at --help", code, out, errs, c.want)
			}
		})
	}
}

func TestHelpIsNoError(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"config"}, {"run", "--help"}} {
		if code, out, errs := footfall(t, args...); code != 0 || !strings.Contains(out, "Usage:") || errs != "" {
			t.Errorf("footfall %q: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}

func TestEveryCommandExplainsItself(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" {
			t.Errorf("%s has short %v, long %v, example %v; want all three", cmd.CommandPath(), cmd.Short != "", cmd.Long != "", cmd.Example != "")
		}
		if strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q ends with a full stop", cmd.CommandPath(), cmd.Short)
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRootCommand(&app{}))
}

func TestCompletionExists(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, errs := footfall(t, "completion", shell); code != 0 || len(out) < 100 {
			t.Errorf("completion %s: exit code %d, %d bytes, stderr %q", shell, code, len(out), errs)
		}
	}
	_, out, _ := footfall(t, "__complete", "con")
	if !strings.Contains(out, "config") {
		t.Errorf("con completes to %q, want config among it", out)
	}
}

// wrongUsage is a command line that is refused, and what is said of it.
type wrongUsage struct {
	args, says string
}

// refused runs command lines that begin with the same words. Each must be an error of usage that says so.
func refused(t *testing.T, command string, lines ...wrongUsage) {
	t.Helper()
	for _, c := range lines {
		code, out, errs := footfall(t, strings.Fields(command+" "+c.args)...)
		if code != codeUsage || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%s %s: exit code %d, stdout %q, stderr %q; want %d and %q", command, c.args, code, out, errs, codeUsage, c.says)
		}
	}
}

// noDevDirectory runs a command on a directory that footfall dev has not made.
func noDevDirectory(t *testing.T, command string) {
	t.Helper()
	args := append(strings.Fields(command), "--data", t.TempDir())
	if code, out, errs := footfall(t, args...); code != 1 || out != "" || !strings.Contains(errs, "footfall dev --data") {
		t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 1 and how to make it", args, code, out, errs)
	}
}
