package main

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// foresee says what would become of the lines of a file under the configuration, without Kafka. A line that would be refused or rejected
// makes the exit code 1, so that a script can stop before it sends.
func (p *produceFlags) foresee(ctx context.Context, a *app, c config.Config, job *produce.Job) error {
	settings := settingsNow(c, time.Now())
	f, err := job.Foresee(ctx, judgeOf(&settings), produce.Window(time.Duration(settings.Duplicates.WindowMs)*time.Millisecond))
	if err == nil && f.Refused+int64(len(f.Rejected)) > 0 {
		err = &exitError{code: 1}
	}
	return errors.Join(a.print(p.output, f, f.WriteText), err)
}

// judgeOf judges records as a pipeline with these settings does.
func judgeOf(settings *checkpoint.Settings) produce.Judge {
	decoder, decoded := event.NewDecoder(), event.Event{}
	return func(value []byte, recordTime time.Time) (reason, detail string) {
		verdict, detail := settings.Verdict(decoder, value, recordTime.UnixMilli(), &decoded)
		return string(verdict), detail
	}
}
