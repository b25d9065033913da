package files

import (
	"github.com/schollz/progressbar/v3"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/produce"
)

// ShowProgress shows the job's progress on a terminal; elsewhere it does nothing. total is in bytes of the file or
// in records; not above 0: unknown. The returned function takes the bar away.
func ShowProgress(a *command.App, job *produce.Job, what string, total int64) (done func()) {
	if total <= 0 {
		total = -1
	}
	bar, done := a.Progress(what, total, progressbar.OptionShowBytes(job.File != nil), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionFullWidth())
	if bar == nil {
		return done
	}
	job.Progress = func(n int64) { _ = bar.Set64(n) }
	warn := job.Warn
	job.Warn = func(text string) {
		_ = bar.Clear()
		warn(text)
	}
	return done
}
