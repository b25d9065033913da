package command

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress returns a bar on a terminal, nil elsewhere, and what takes it away. A bar that cannot be drawn is no reason to stop.
func (a *App) Progress(what string, total int64, more ...progressbar.Option) (bar *progressbar.ProgressBar, finish func()) {
	f, ok := a.Err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	bar = progressbar.NewOptions64(total, append([]progressbar.Option{progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionClearOnFinish()}, more...)...)
	return bar, func() { _ = bar.Finish() }
}
