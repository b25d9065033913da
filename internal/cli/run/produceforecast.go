package run

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/produce"
)

// foresee says what would become of the lines of a file under the configuration, without Kafka. A line that would be refused or rejected
// makes the exit code 1, so that a script can stop before it sends.
func (p *produceFlags) foresee(ctx context.Context, a *command.App, c config.Config, job *produce.Job) error {
	settings := engine.SettingsNow(c, time.Now())
	f, err := job.Foresee(ctx, engine.Judge(&settings), produce.Window(time.Duration(settings.Duplicates.WindowMs)*time.Millisecond))
	if err == nil && f.Refused+int64(len(f.Rejected)) > 0 {
		err = &command.ExitError{Code: 1}
	}
	return errors.Join(a.Print(p.output, f, f.WriteText), err)
}
