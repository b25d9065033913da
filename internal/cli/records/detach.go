package records

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// detached starts a command line of this program as a process that continues when this one ends and its terminal is closed. The process
// writes what it has to say to a new file, which its user alone can read.
func detached(args []string) (pid int, log string, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, "", err
	}
	f, err := os.CreateTemp("", "footfall-*.log")
	if err != nil {
		return 0, "", err
	}
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = f, f, ownSession
	if err := errors.Join(cmd.Start(), f.Close()); err != nil {
		return 0, "", fmt.Errorf("start %s in the background: %w", self, err)
	}
	pid = cmd.Process.Pid // Release forgets it.
	return pid, f.Name(), cmd.Process.Release()
}

// sameFlags are the flags of a command line as they were given, but for some.
func sameFlags(cmd *cobra.Command, but map[string]bool) (args []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if but[f.Name] {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, value := range list.GetSlice() {
				args = append(args, "--"+f.Name+"="+value)
			}
			return
		}
		args = append(args, "--"+f.Name+"="+f.Value.String())
	})
	return args
}
