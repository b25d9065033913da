package analyze

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/show"
)

// followEvery is how far apart answers about a growing file are, at least, while more of it is there.
const followEvery = 2 * time.Second

// checkFollow refuses what cannot be followed.
func (p *analyzeFlags) checkFollow(names []string, sorted bool) error {
	if !p.follow {
		return nil
	}
	info, err := os.Stat(names[0])
	switch {
	case len(names) != 1:
		return command.Usagef("--follow: name one file, which grows, not %d", len(names))
	case names[0] == "-":
		return command.Usagef("--follow: standard input is counted once it ends: name the file that is written")
	case strings.HasPrefix(names[0], "s3://"):
		return command.Usagef("--follow: the objects of a bucket do not grow: leave --follow out, and count them again later")
	case err != nil:
		return command.Usagef("--follow: %w: name one file that exists, without * or ?", err)
	case info.IsDir():
		return command.Usagef("--follow: %s is a folder: name the file in it that grows", names[0])
	case !info.Mode().IsRegular():
		return command.Usagef("--follow: %s is no regular file, so it cannot grow: leave --follow out", names[0])
	case sorted:
		return command.Usagef("--follow and --sort: choose one")
	}
	return nil
}

// showSofar shows what was counted until now: on a terminal in place of what was shown before.
func (x *analysis) showSofar(ctx context.Context, a *command.App, answer *Answer) error {
	if err := x.flags.answer(ctx, x.table, answer); err != nil {
		return err
	}
	terminal, ok := a.Out.(*os.File)
	if x.flags.output == show.JSON || !ok || !term.IsTerminal(int(terminal.Fd())) {
		return x.print(a, answer)
	}
	var text bytes.Buffer
	if err := x.print(&command.App{Out: &text, Err: &text}, answer); err != nil {
		return err
	}
	_, err := fmt.Fprint(terminal, redraw(text.String(), terminal))
	return err
}

// redraw is a text that takes the whole terminal, as far as it has room.
func redraw(text string, terminal *os.File) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if _, height, err := term.GetSize(int(terminal.Fd())); err == nil && len(lines) >= height {
		lines = lines[:height-1]
	}
	return ansi.CursorHomePosition + ansi.EraseEntireScreen + strings.Join(lines, "\n") + "\n"
}
