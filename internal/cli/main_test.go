package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
)

func TestMain(m *testing.M) { clitest.Main(m, Execute, Main) }

func TestWrongUsageIsExitCodeTwo(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no command is near", []string{"query", "foo"}, `unknown command "foo" for "footfall query"`},
		{"unknown command", []string{"rnu"}, `unknown command "rnu" for "footfall": did you mean run?`},
		{"help of an unknown command", []string{"help", "nosuch"}, `unknown command "nosuch"`},
		{"unknown command of a group", []string{"config", "prnt"}, `unknown command "prnt" for "footfall config": did you mean print?`},
		{"unknown flag", []string{"run", "--brokr"}, "unknown flag: --brokr"},
		{"argument too many", []string{"run", "now"}, `unexpected argument "now": footfall run takes flags only`},
		{"flag of the wrong type", []string{"dev", "--sites", "many"}, `--sites "many": not a whole number`},
		{"flag out of range", []string{"dev", "--sites", "0"}, "--sites 0: write 1 to"},
		{"columns of JSON", []string{"query", "sites", "--columns", "siteId", "--output", "json"}, `columns "siteId": JSON has all fields`},
		{"flag that dev does not take", []string{"dev", "--table", "sqlite://x"}, "--table: footfall dev brings its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := clitest.Footfall(t, c.args...)
			if code != 2 || out != "" || !strings.Contains(errs, c.want) || !strings.Contains(errs, "--help'.") {
				t.Errorf("exit code %d, stdout %q, stderr %q; want 2, nothing, %q and a hint at --help", code, out, errs, c.want)
			}
		})
	}
}

func TestHelpIsNoError(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"config"}, {"run", "--help"}} {
		if code, out, errs := clitest.Footfall(t, args...); code != 0 || !strings.Contains(out, "Usage:") || errs != "" {
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
	walk(newRootCommand(&command.App{}))
}

func TestCompletionExists(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, errs := clitest.Footfall(t, "completion", shell); code != 0 || len(out) < 100 {
			t.Errorf("completion %s: exit code %d, %d bytes, stderr %q", shell, code, len(out), errs)
		}
	}
	_, out, _ := clitest.Footfall(t, "__complete", "con")
	if !strings.Contains(out, "config") {
		t.Errorf("con completes to %q, want config among it", out)
	}
}
