package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/sinks/retry"
)

// doctorFlags are the flags of footfall doctor.
type doctorFlags struct {
	output show.Format
	outage time.Duration
	role   string
}

// defaultOutage is how long an outage records must outlast by default: a long weekend.
const defaultOutage = 72 * time.Hour

// NewDoctorCommand is footfall doctor.
func NewDoctorCommand(a *command.App) *cobra.Command {
	var d doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the brokers, the topic, the group and the table for faults",
		Long: `Check the whole installation, and change nothing: brokers (reachable, service, release, requests), topic (retention, compaction,
timestamps, sizes, replicas, permissions), the last records (keys, clocks, what would be rejected), failed-events topic, consumer group
(members, protocol, committed offsets), checkpoints (stopped partitions, records about to be deleted), table (shape, indexes, expiry,
recovery, deletion protection, quotas, permissions) and clocks.

Each finding has a severity:

  ok         nothing to do
  warning    figures are right, and something endangers them or may stop the pipeline
  error      the pipeline does not run, or figures will be wrong or lost
  unchecked  it could not be checked: permission is missing, or the service does not have it

A warning or an error says what is endangered, and the command that mends it. --max-outage is how long the pipeline may be down; records
must be kept for at least that long. Permissions on the table are tried with requests that change nothing: reads of an item that does not
exist, and writes under conditions that cannot hold. --role says which requests must be allowed; docs/iam.md has the policies. Give doctor
the credentials of footfall run.

Exit codes: 0 no error was found (there may be warnings); 1 an error was found; 2 wrong usage; 3 neither the brokers nor the table could
be asked.`,
		Example: `  footfall doctor
  footfall doctor --max-outage 168h
  footfall doctor --role query
  footfall doctor --json | jq -r '.findings[] | select(.severity == "error") | .commands[]'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(a, cmd) },
	}
	f := cmd.Flags()
	command.AddOutput(cmd, &d.output, show.Table, show.JSON)
	f.DurationVar(&d.outage, "max-outage", defaultOutage, "longest outage of the pipeline that must lose no record")
	var roles []string
	for _, r := range doctor.Roles {
		roles = append(roles, string(r))
	}
	f.StringVar(&d.role, "role", string(doctor.RoleRun), "role whose requests to the table are tried: "+command.Either(roles))
	command.Complete(cmd, "role", roles...)
	command.AddAllConfigFlags(f)
	return cmd
}

// run examines the installation. Its exit code says whether an error was found.
func (d *doctorFlags) run(a *command.App, cmd *cobra.Command) error {
	o := doctor.Options{Role: doctor.Role(d.role), Outage: d.outage}
	switch {
	case !slices.Contains(doctor.Roles, o.Role):
		return command.Usagef("--role %q: choose run, query, serve or admin", d.role)
	case d.outage <= 0:
		return command.Usagef("--max-outage %v: write a duration above 0, as in 72h", d.outage)
	}
	c, err := a.Config(cmd)
	if err != nil {
		return &command.ExitError{Code: command.CodeUsage, Err: err}
	}
	var broker *embedded.Broker
	if o.Kafka, broker, o.KafkaError = connect.Brokers(cmd, c, embedded.OpenAnywhere); broker != nil {
		defer broker.Close()
	}
	report := examine(cmd.Context(), o, c)
	if dir := cmd.Flag("data"); dir.Changed {
		ofData(report, dir.Value.String())
	}
	if err := cmd.Context().Err(); err != nil {
		return context.Cause(cmd.Context())
	}
	err = a.PrintList(d.output, report, func(out io.Writer, layout show.Layout) error {
		return printReport(out, layout, report)
	})
	switch {
	case err != nil:
		return err
	case !report.Answered:
		return &command.ExitError{Code: command.CodeUnanswered}
	case report.Errors > 0:
		return &command.ExitError{Code: command.CodeUnwell}
	}
	return nil
}

// examine opens the table and examines everything.
func examine(ctx context.Context, o doctor.Options, c config.Config) *doctor.Report {
	o.Config, o.Failed, o.Settings = c, connect.FailedTopic(c.Kafka), engine.SettingsNow(c, time.Now())
	o.Registry, o.RegistryError = command.Registry(c)
	t, err := connect.OpenConfigured(ctx, c)
	if err != nil {
		o.TableError = err
		return doctor.Examine(ctx, o)
	}
	o.Table, o.Admin = retry.Policy{Within: doctor.Patience}.Reads(t.Table), t.Admin
	report := doctor.Examine(ctx, o)
	if err := t.Close(); err != nil && !errors.Is(err, context.Canceled) {
		report.Warnings++
		report.Findings = append(report.Findings, doctor.Finding{Check: "table", Severity: doctor.Warning,
			Found: "close the table: " + err.Error(), Commands: []string{}})
	}
	return report
}

// ofData makes the commands that a report advises those on a directory of footfall dev, where dev counts.
func ofData(r *doctor.Report, dir string) {
	for _, f := range r.Findings {
		for i, c := range f.Commands {
			switch {
			case c == "footfall run":
				f.Commands[i] = "footfall dev --data " + dir
			case strings.HasPrefix(c, "footfall ") && !strings.Contains(c, " --table "):
				f.Commands[i] += " --data " + dir
			}
		}
	}
}

// severityTones are the colours of findings.
var severityTones = map[doctor.Severity]show.Tone{doctor.OK: show.Good, doctor.Warning: show.Doubtful, doctor.Error: show.Bad}

// printReport prints what was found, and below each finding what to do. Commands are not broken into lines: people copy them.
func printReport(out io.Writer, layout show.Layout, r *doctor.Report) error {
	for _, f := range r.Findings {
		mark := fmt.Sprintf("%-9s  ", f.Severity)
		if err := show.WriteParagraph(out, layout, mark, severityTones[f.Severity], f.Check+": "+f.Found); err != nil {
			return err
		}
		blank := strings.Repeat(" ", len(mark))
		if f.Endangers != "" {
			if err := show.WriteParagraph(out, layout, blank, show.Neutral, f.Endangers); err != nil {
				return err
			}
		}
		for _, command := range f.Commands {
			fmt.Fprintf(out, "%srun: %s\n", blank, show.Plain(command))
		}
	}
	summary := []string{amount(r.Errors, "error"), amount(r.Warnings, "warning")}
	if r.Unchecked > 0 {
		summary = append(summary, fmt.Sprintf("%d could not be checked", r.Unchecked))
	}
	_, err := fmt.Fprintf(out, "\n%s.\n", strings.Join(summary, ", "))
	return err
}

// amount spells a number of things: no errors, 1 error, 2 errors.
func amount(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing + "s"
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
