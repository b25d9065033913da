package analyze

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/files"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/direct"
)

// analysis is one count of files.
type analysis struct {
	flags  *analyzeFlags
	config config.Config
	file   *produce.File
	total  int64 // bytes of the files; -1: not known
	table  *figuresTable
	files  string // what titles call the files

	began  time.Time
	pause  func() error // of a file that is followed
	failed error        // of a pause

	broken   []error // of files that could not be read to their end
	complete bool    // all that could be read is in the table
}

// analyze counts the files into the table, and prints what it says then.
func (x *analysis) analyze(ctx context.Context, a *command.App) (err error) {
	x.began = time.Now()
	engine.LimitMemory(os.DirFS("/"), memoryBytes, collectPercent)
	answer, err := x.count(ctx, a)
	if err != nil {
		return err
	}
	answer.kept = x.table.kept != ""
	if err := x.flags.answer(ctx, x.table, answer); err != nil {
		return err
	}
	var unwritten, moved error // Figures that cannot be kept are printed.
	if x.flags.html != "" {
		unwritten = x.writeHTML(ctx, answer)
	}
	if x.table.kept != "" {
		moved = x.table.move(ctx)
	}
	x.complete = moved == nil
	return errors.Join(append([]error{x.print(a, answer), unwritten, moved}, x.broken...)...)
}

func (x *analysis) print(a *command.App, answer *Answer) error {
	if x.flags.output == show.JSON {
		return a.PrintJSON(answer)
	}
	return x.flags.printTables(a, answer, x.files)
}

// sessionsListed is for how long sessions are listed, and a little more.
const sessionsListed = 49 * time.Hour

const (
	// memoryBytes is the most that the process takes, with the items that stay in memory.
	memoryBytes = 300 << 20
	// collectPercent is how much the heap may grow before it is collected: memory for a tenth more CPU.
	collectPercent = 75
)

// count counts the lines into the table.
func (x *analysis) count(ctx context.Context, a *command.App) (*Answer, error) {
	settings := engine.SettingsNow(x.config, time.Now())
	settings.Maps = nil // The lines are read as their format says.
	if x.flags.follow {
		settings.NotAfter = 0 // It is a day ahead of the start.
	}
	o := engine.PipelineOptions(x.config)
	into := direct.Options{Table: x.table, Topic: command.DevTopic, Partitions: command.DevPartitions, Settings: settings,
		HashKey: o.HashKey, Owner: "analyze", SiteZone: o.SiteZone}
	if x.table.kept == "" {
		into.Forget, into.Keep = x.file.SessionsEnd(), time.Now().Add(-sessionsListed)
	}
	counter, err := direct.New(ctx, into)
	if err != nil {
		return nil, err
	}
	defer counter.Stop() // After an error: the table is about to be closed.
	job := produce.Job{File: x.file, RecordTime: produce.EventTime,
		Warn: func(text string) { fmt.Fprintln(a.Err, "warning:", text) },
		Into: func(r produce.Record, from produce.Place, stamp time.Time) error {
			return counter.Add(direct.Record{Key: r.Key, Value: r.Value, Time: stamp, From: direct.Line{File: from.File, Number: from.Line}})
		}}
	x.pause = func() error { return x.sofar(ctx, a, &job, counter) }
	x.file.SkipBroken(func(e *produce.ReadError) { x.broken = append(x.broken, e) })
	done := func() {}
	if !x.flags.follow {
		done = files.ShowProgress(a, &job, "counting", x.total)
	}
	summary, err := job.Run(ctx)
	done()
	if x.failed != nil {
		return nil, x.failed
	}
	var outcome direct.Outcome
	if err == nil {
		outcome, err = counter.Close()
		reject(&summary, outcome)
		if err == nil && summary.Sent == 0 {
			err = produce.ErrNothingSent
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, produce.ErrNothingSent):
		return nil, errors.Join(summary.WriteRefused(show.PlainWriter(a.Err)),
			fmt.Errorf("nothing was counted: %w", errors.Join(append([]error{summary.NoRecord()}, x.broken...)...)))
	case err != nil:
		return nil, err
	}
	return x.answerOf(summary, outcome), nil
}

// sofar shows what was counted until now of a file that is followed. An error of that is no fault of the file: it ends there.
func (x *analysis) sofar(ctx context.Context, a *command.App, job *produce.Job, counter *direct.Counter) error {
	summary := job.Sofar()
	if summary.Sent == 0 {
		return nil
	}
	outcome, err := counter.Flush()
	if err == nil {
		reject(&summary, outcome)
		err = x.showSofar(ctx, a, x.answerOf(summary, outcome))
	}
	if x.failed = err; err != nil {
		return io.EOF
	}
	return nil
}

// answerOf is what is said of the lines, without the figures.
func (x *analysis) answerOf(summary produce.Summary, outcome direct.Outcome) *Answer {
	answer := &Answer{Counted: summary.Sent, Refused: summary.Refused, FirstRefused: summary.FirstRefused, LeftOut: summary.LeftOut,
		Statuses: x.file.Statuses(x.flags.site, x.flags.rows), Duplicates: outcome.Duplicate, unnamed: x.file.SiteOfUnnamed(),
		Broken: []brokenFile{}, FirstEvent: outcome.First, LastEvent: outcome.Last, Seconds: time.Since(x.began).Seconds()}
	for _, err := range x.broken {
		if e, ok := errors.AsType[*produce.ReadError](err); ok {
			answer.Broken = append(answer.Broken, brokenFile{e.Place, e.Offset, e.Err.Error()})
		}
	}
	return answer
}

// reject moves rejected records from the counted lines to the refused ones.
func reject(summary *produce.Summary, of direct.Outcome) {
	first := []produce.Refusal{}
	for _, r := range of.FirstRejected {
		first = append(first, produce.Refusal{Place: produce.Place{File: r.File, Line: r.Number}, Reason: string(r.Reason) + ": " + r.Detail,
			After: r.Added})
	}
	summary.Reject(of.Records()-of.Counted-of.Duplicate, first)
}
