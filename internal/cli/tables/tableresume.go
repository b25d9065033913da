package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
)

func newTableResumeCommand(a *command.App) *cobra.Command {
	r := rebuildFlags{settings: settingsRecorded}
	cmd := command.OnCopies(&cobra.Command{
		Use:   "resume-restored",
		Short: "Make a table usable that was restored from a backup, or imported",
		Long: `Make a DynamoDB table usable that was restored from a backup or to a point in time, or exported and imported. Its items are of different
instants, so its figures are wrong, and everything but this command refuses it. The command counts the topic again into another generation
of items, under the settings that the copy has recorded, and makes that live. Then members can start. Items of the copy that would never
expire are deleted. The command treats a table with a deleted checkpoint in the same way.

Decisions about sites that the copy has only in part are removed and named. So are erasures and purges that must be repeated. What was
decided after the copy was made is not there. Failed events are sent again, with the same keys.

The topic must have all records that were counted. Otherwise a date is named from which it has all: --keep-before DATE counts that date
and later ones, and keeps earlier ones as the copy has them. The command may be killed at any point and is continued by running it again.`,
		Example: `  footfall table resume-restored --dry-run
  footfall table resume-restored --write-units 2000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.resume(a, cmd) },
	}, false)
	f := cmd.Flags()
	f.BoolVar(&r.dry, "dry-run", false, "say what it would take, and change nothing")
	f.BoolVar(&r.yes, "yes", false, "count again although it costs more than 100 dollars")
	f.StringVar(&r.keepBefore, "keep-before", "", "first date in UTC to count again, where the topic has lost earlier records")
	f.IntVar(&r.units, "write-units", 0, "write units a second to take of the table at most (default: unlimited)")
	command.AddOutput(cmd, &r.output, show.Table, show.JSON)
	command.AddAllConfigFlags(f)
	return cmd
}

// ResumedAnswer is the JSON of footfall table resume-restored.
type ResumedAnswer struct {
	Records    int64            `json:"records"` // that the topic has, about
	Partitions int              `json:"partitions"`
	KeepBefore *time.Time       `json:"keepBefore"` // the first date that is counted again; null: all are
	Estimate   rebuild.Estimate `json:"estimate"`
	Dollars    float64          `json:"estimatedDollars"` // of the units on demand; 0: the table costs nothing
	Generation int              `json:"generation"`       // that is live now; 0: a dry run
	WriteUnits float64          `json:"writeUnits"`       // that this run has taken
	Deleted    int64            `json:"deletedItems"`     // of the copy
	Removed    []DecisionAnswer `json:"removed"`          // decisions that the copy had only in part
	Again      []DecisionAnswer `json:"again"`            // erasures and purges to repeat
}

// DecisionAnswer is a decision about a site.
type DecisionAnswer struct {
	Revision int64     `json:"revision"`
	Site     string    `json:"siteId"`
	At       time.Time `json:"at"`
}

func decisionsOf(all []sites.Revision) []DecisionAnswer {
	answers := []DecisionAnswer{}
	for _, c := range all {
		answers = append(answers, DecisionAnswer{c.Rev, c.Site, time.UnixMilli(c.At).UTC()})
	}
	return answers
}

func (r *rebuildFlags) resume(a *command.App, cmd *cobra.Command) error {
	return r.with(a, cmd, func(ctx context.Context, t *connect.Table, job *rebuild.Job) error {
		answer := ResumedAnswer{Removed: []DecisionAnswer{}, Again: []DecisionAnswer{}}
		if !t.Generations.Restoring && t.Generations.Dropping == 0 || r.dry { // What is continued was estimated when it began.
			e, err := r.estimate(ctx, a, t.Config.Table, job.EstimateResume)
			if err != nil && !errors.Is(err, rebuild.ErrNoCopy) || err != nil && r.dry {
				return err
			}
			answer.Records, answer.Partitions, answer.KeepBefore, answer.Estimate, answer.Dollars = e.Records, e.Partitions, e.KeepBefore,
				e.Estimate, e.Dollars
		}
		if r.dry {
			return a.Print(r.output, answer, func(io.Writer) error { return nil })
		}
		done, err := job.Resume(ctx)
		if err != nil {
			return err
		}
		answer.Generation, answer.WriteUnits, answer.Deleted = done.Generation, done.WriteUnits, done.Dropped
		answer.Removed, answer.Again = decisionsOf(done.Mended.Removed), decisionsOf(done.Mended.Again)
		return a.Print(r.output, answer, func(out io.Writer) error { return printResumed(out, answer) })
	})
}

func printResumed(out io.Writer, r ResumedAnswer) error {
	text := ""
	for _, c := range r.Removed {
		text += fmt.Sprintf("Removed: revision %d, of site %s, decided at %s.\n", c.Revision, c.Site, c.At.Format(time.RFC3339))
	}
	for _, c := range r.Again {
		text += fmt.Sprintf("To repeat: the erasure or purge of revision %d, of site %s, decided at %s.\n", c.Revision, c.Site,
			c.At.Format(time.RFC3339))
	}
	_, err := fmt.Fprintf(out, "%sGeneration %d is live, and %s deleted. Start the members.\n", text, r.Generation,
		plural.Count(r.Deleted, "item of the copy is", "items of the copy are"))
	return err
}
