package command

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"

	"golang.org/x/term"
)

// Paged prints what write writes: through a pager if it is longer than the terminal that it goes to.
func (a *App) Paged(write func(io.Writer) error) error {
	_, lines := a.Size()
	pager := pagerCommand()
	if lines == 0 || pager == "" {
		return write(a.Out)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	if bytes.Count(text.Bytes(), []byte("\n")) < lines {
		_, err := a.Out.Write(text.Bytes())
		return err
	}
	return a.page(pager, text.Bytes())
}

// pagerCommand is the command line of the pager: $PAGER, or less where it is installed; "": there is none.
func pagerCommand() string {
	pager, set := os.LookupEnv("PAGER")
	switch {
	case os.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" || pager == "cat":
		return ""
	case set:
		return pager
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// page shows a text with a pager, or prints it if that does not start. less keeps colours and long lines, and leaves the text on the
// screen.
func (a *App) page(pager string, text []byte) error {
	signal.Ignore(os.Interrupt) // The pager's: Ctrl-C ends a search in less.
	defer signal.Reset(os.Interrupt)
	cmd := exec.Command("sh", "-c", pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), a.Out, a.Err
	if _, set := os.LookupEnv("LESS"); !set {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); err != nil && (code < 0 || code == 126 || code == 127) { // The shell has not found it.
		_, err = a.Out.Write(text)
		return err
	}
	return nil // The user may quit the pager early.
}

// Size is how many columns and lines the terminal has that the answer is printed on; 0: it is not printed on one.
func (a *App) Size() (columns, lines int) { return SizeOf(a.Out) }

// SizeOf is how many columns and lines the terminal has that a stream goes to; 0: it goes to none.
func SizeOf(stream any) (columns, lines int) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, 0
	}
	columns, lines, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0 // It is no terminal.
	}
	return columns, lines
}
