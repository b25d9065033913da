package cli

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/produce"
)

// bundleFlags are the flags of footfall support-bundle.
type bundleFlags struct{ output, log string }

func newBundleCommand(a *command.App) *cobra.Command {
	var b bundleFlags
	cmd := &cobra.Command{
		Use:   "support-bundle",
		Short: "Collect what an issue report needs, without secrets, in one archive",
		Long: `Write a .tar.gz archive for an issue report. It holds what footfall version, config print, status --history, doctor and table describe
print, /readyz and /metrics of the process at the address of http (--http), and the last 5,000 lines of a log (--log). For what cannot be
had, such as the status while the brokers do not answer, the archive says why. stderr names these parts, and the exit code is 0.

Secrets are replaced by ********: those of the configuration and of the files that it names, AWS credentials, variables named like secrets,
tokens and share links, and ids of visitors, users and sessions and user agents in keys and events. footfall logs no events. Anything else
of an event that another program logs stays, IP addresses too, and so do names of hosts, topics and sites: read the archive before you
publish it.`,
		Example: `  footfall support-bundle --config footfall.yaml
  footfall support-bundle --http :8080 --log /var/log/footfall.log --output bundle.tar.gz
  journalctl -u footfall@shop -o cat | footfall support-bundle --log -
  docker compose exec -T footfall /footfall support-bundle --output - > bundle.tar.gz`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVarP(&b.output, "output", "o", "", "archive to write, a new file; - is the standard output (default "+
		"footfall-support-TIME.tar.gz, TIME in UTC)")
	f.StringVar(&b.log, "log", "", "log file whose last lines are taken; - is the standard input")
	command.AddAllConfigFlags(f)
	return cmd
}

// bundlePatience is how long a part may take.
const bundlePatience = 2 * time.Minute

// part is a file of the archive.
type part struct {
	name string
	ask  func(context.Context) (string, error) // what there is, also with an error
	text string                                // masked
}

// run writes the archive. A file is begun first, so that a folder that takes none is an error before anything is asked.
func (b bundleFlags) run(a *command.App, cmd *cobra.Command) error {
	src, err := command.Sources(cmd)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	output := cmp.Or(b.output, now.Format("footfall-support-20060102T150405Z.tar.gz"))
	var missing []string
	write := func(w io.Writer) (err error) {
		parts := b.parts(a, cmd)
		if missing, err = gather(cmd.Context(), a, parts, mask(src)); err != nil {
			return err
		}
		return writeArchive(w, parts, now)
	}
	said := a.Out
	if _, taken := os.Lstat(output); output == "-" {
		err, said = write(a.Out), a.Err
	} else if taken == nil {
		err = existsError(output)
	} else {
		err = writeExclusive(output, write)
	}
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		fmt.Fprintf(a.Err, "footfall: missing or incomplete, for reasons that the archive names: %s\n", strings.Join(missing, ", "))
	}
	_, err = fmt.Fprintf(said, "Wrote %s. Read it before you publish it.\n", output)
	return err
}

// gather asks for the parts one after the other, since each may open the broker of --data, and masks them. missing are those that could
// not be had.
func gather(ctx context.Context, a *command.App, parts []part, masked func(string) string) (missing []string, err error) {
	bar, finish := a.Progress("", int64(len(parts)))
	defer finish()
	for i := range parts {
		p := &parts[i]
		if bar != nil {
			bar.Describe(p.name)
			_ = bar.Set(i)
		}
		asking, cancel := context.WithTimeoutCause(ctx, bundlePatience, fmt.Errorf("no answer in %v", bundlePatience))
		text, err := p.ask(asking)
		cancel()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			missing = append(missing, p.name)
			text += "\nIncomplete: " + err.Error() + "\n"
		}
		p.text = masked(text)
	}
	return missing, nil
}

func (b bundleFlags) parts(a *command.App, cmd *cobra.Command) []part {
	of := func(words string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return outputOf(ctx, cmd, strings.Fields(words)) }
	}
	return []part{
		{name: "version.txt", ask: func(context.Context) (string, error) { return describeBuild(), nil }},
		{name: "config.yaml", ask: func(ctx context.Context) (string, error) {
			text, err := of("config print")(ctx)
			if _, invalid := a.Config(cmd); err == nil && invalid != nil {
				err = errors.New("the configuration is wrong, as is said above")
			}
			return text, err
		}},
		{name: "status.txt", ask: of("status --history")},
		{name: "doctor.txt", ask: of("doctor")},
		{name: "table.txt", ask: of("table describe")},
		{name: "readyz.txt", ask: of("health --ready")},
		{name: "metrics.txt", ask: func(ctx context.Context) (string, error) { return metricsOf(ctx, a, cmd) }},
		{name: "log.txt", ask: func(ctx context.Context) (string, error) {
			if b.log == "-" {
				return lastLines(produce.Interruptible(ctx, a.In))
			}
			return lastLinesOf(b.log)
		}},
	}
}

// outputOf runs another command with the configuration of this one. It is an error if the command prints nothing.
func outputOf(ctx context.Context, cmd *cobra.Command, words []string) (string, error) {
	var out, errs bytes.Buffer
	a := &command.App{In: strings.NewReader(""), Out: &out, Err: &errs}
	target, _, err := newRootCommand(a).Find(words)
	if err != nil {
		return "", err
	}
	args := words
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, configured := f.Annotations[command.FlagPath]
		if f.Changed && (configured || cmd.InheritedFlags().Lookup(f.Name) != nil) && target.Flag(f.Name) != nil {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	code := Execute(ctx, a, args)
	if ctx.Err() != nil {
		fmt.Fprintln(&errs, context.Cause(ctx))
	}
	if out.Len() == 0 {
		return "", fmt.Errorf("exit code %d: %s", code, strings.TrimSpace(errs.String()))
	}
	if errs.Len() > 0 || code != 0 {
		fmt.Fprintf(&out, "\n%sexit code %d\n", &errs, code)
	}
	return out.String(), nil
}

// describeBuild is what footfall version prints, the machine, and how and of what the program was built.
func describeBuild() string {
	text := fmt.Sprintf("footfall %s\n%s/%s, %d CPUs, GOMAXPROCS %d\n", version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		runtime.GOMAXPROCS(0))
	if info, ok := debug.ReadBuildInfo(); ok {
		text += "\n" + info.String()
	}
	return text
}

// metricsOf asks the process at the configured address.
func metricsOf(ctx context.Context, a *command.App, cmd *cobra.Command) (text string, err error) {
	c, err := a.Config(cmd)
	if err != nil {
		return "", err
	}
	address, err := connect.LocalProcess(c.HTTP)
	if err != nil {
		return "", err
	}
	err = connect.GetFrom(ctx, address+"/metrics", func(body io.Reader) error {
		all, err := io.ReadAll(body)
		text = string(all)
		return err
	})
	return text, err
}

// The most of a log: lines, and bytes that are read.
const (
	mostLines    = 5000
	mostLogBytes = 8 << 20
)

// lastLinesOf returns the last lines of a file.
func lastLinesOf(name string) (string, error) {
	if name == "" {
		return "", errors.New("no log file was named: name it with --log")
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file: name one with --log", name)
	}
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-mostLogBytes-1) // One more shows lastLines that it is cut.
	return lastLines(io.NewSectionReader(f, from, info.Size()-from))
}

// lastLines returns the last lines of what it reads.
func lastLines(in io.Reader) (_ string, err error) {
	var text []byte
	for full := true; full && err == nil; {
		var more []byte
		more, err = io.ReadAll(io.LimitReader(in, mostLogBytes+1))
		text = append(text, more...)
		if full = len(more) > mostLogBytes; full {
			text = text[len(text)-mostLogBytes-1:]
		}
	}
	if len(text) > mostLogBytes { // It begins within a line, and perhaps within a secret.
		_, text, _ = bytes.Cut(text[len(text)-mostLogBytes:], []byte("\n"))
	}
	at := len(bytes.TrimSuffix(text, []byte("\n")))
	for range mostLines {
		if at = bytes.LastIndexByte(text[:at], '\n'); at < 0 {
			break
		}
	}
	return string(text[at+1:]), err
}

func writeArchive(out io.Writer, parts []part, now time.Time) error {
	z := gzip.NewWriter(out)
	t := tar.NewWriter(z)
	for _, p := range parts {
		err := t.WriteHeader(&tar.Header{Name: "footfall-support/" + p.name, Mode: 0o600, Size: int64(len(p.text)),
			ModTime: now.Truncate(time.Second)}) // It would be rounded, into the future.
		if err == nil {
			_, err = io.WriteString(t, p.text)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// writeExclusive has write write a file beside name, which takes that name once it is whole, unless there is a file of that name by then.
func writeExclusive(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // Of mode 0600.
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), name) // A rename would replace a file.
	}
	err = errors.Join(err, os.Remove(f.Name()))
	if errors.Is(err, os.ErrExist) {
		return existsError(name)
	}
	return err
}

func existsError(name string) error {
	return fmt.Errorf("%s exists: remove it, or name another file", name)
}
