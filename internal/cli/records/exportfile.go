package records

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
)

// exportFlags say where an export goes.
type exportFlags struct {
	output string
	zstd   bool
}

func (f *exportFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.output, "output", "o", "-", "file to write; - = standard output")
	cmd.Flags().BoolVar(&f.zstd, "zstd", false, "compress with zstd")
}

// export has write write, to the file or the standard output. Of a file there is nothing unless all of it was written.
func export(a *command.App, f exportFlags, write func(io.Writer) error) error {
	packed := func(out io.Writer) error {
		if !f.zstd {
			return write(out)
		}
		z, err := zstd.NewWriter(out)
		if err != nil {
			return fmt.Errorf("pack with zstd: %w", err)
		}
		return errors.Join(write(z), z.Close())
	}
	if f.output == "-" {
		if f.zstd {
			return packed(a.Out)
		}
		return packed(a.PlainIfTerminal(a.Out))
	}
	if info, err := os.Stat(f.output); err == nil && !info.Mode().IsRegular() {
		return writeDevice(f.output, packed)
	}
	return writeFile(f.output, packed)
}

// writeDevice has write write to what is no file, as a named pipe, which nothing else may take the place of.
func writeDevice(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeFile has write write a file beside name, which takes that name once it is whole and on disk. A file that has the name
// already is replaced. On an error nothing is changed.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
