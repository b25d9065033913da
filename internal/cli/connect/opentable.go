// Package connect opens what a command works on: the table, the brokers (those of a directory of footfall dev included), and running
// processes. It hides the kinds of tables, TLS and SASL, and says what to do when one of them does not answer.
package connect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/sqlite"
	"github.com/footfall/footfall/sinks/tableid"
)

// Table is a table of either kind. Close releases what the process holds of it, not the table.
type Table struct {
	sinks.Table
	sinks.Admin
	Close func() error

	Config config.Config // that names it, if WithTable opened it
	Keys   sinks.Keys    // of the generation that was live when WithTable opened it

	Generations sinks.Generations // that the table had then
}

// Open opens dynamodb://NAME or sqlite://PATH as a configuration without other settings does.
func Open(ctx context.Context, url string) (*Table, error) {
	c := config.Default()
	c.Table = url
	return OpenConfigured(ctx, c)
}

// OpenConfigured opens the table of a configuration. It need not exist: Describe says whether it does.
func OpenConfigured(ctx context.Context, c config.Config) (*Table, error) {
	url := c.Table
	kind, name, _ := strings.Cut(url, "://")
	switch kind {
	case "dynamodb":
		client, err := dynamo.Connect(ctx, dynamo.ConnectOptions{Concurrency: max(dynamo.DefaultConcurrency, c.Limits.InFlight)})
		if errors.Is(err, dynamo.ErrNoRegion) {
			return nil, fmt.Errorf("table %s: %w; for the table of footfall dev name its directory instead, as in --data data", url, err)
		}
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", url, err)
		}
		t := dynamo.New(client, name).WithScaling(dynamo.ConnectScaling)
		opened := &Table{Table: t, Admin: t, Close: func() error { return nil }}
		if c.DynamoDB.Client == config.ClientDirect {
			opened.Table = dynamo.NewDirect(t, client)
		}
		return opened, nil
	case "sqlite":
		t, err := sqlite.Open(name)
		if err != nil {
			return nil, err
		}
		return &Table{Table: t, Admin: t, Close: t.Close}, nil
	default:
		return nil, fmt.Errorf("table %q: write dynamodb://NAME or sqlite://PATH", url)
	}
}

// Repeating returns the table for writes that may be repeated, and are for as long as reads.
func (t *Table) Repeating() sinks.Table {
	return retry.Policy{Within: ReadPatience}.Table(t.Table)
}

// ReadPatience is how long a command repeats a read that the table throttles or does not answer.
const ReadPatience = time.Minute

// WithTable opens the configured table for use. Where use fails on the table itself, the error says what to do.
func WithTable(a *command.App, cmd *cobra.Command, use func(context.Context, *Table) error) error {
	return withTableFor(a, cmd, ReadPatience, use)
}

// withTableFor is WithTable with another patience than ReadPatience.
func withTableFor(a *command.App, cmd *cobra.Command, patience time.Duration, use func(context.Context, *Table) error) (err error) {
	return WithPlainTable(a, cmd, func(ctx context.Context, t *Table) error {
		t.Table = retry.Policy{Within: patience}.Reads(t.Table)
		return use(ctx, t)
	})
}

// WithPlainTable is WithTable for use that repeats reads itself.
func WithPlainTable(a *command.App, cmd *cobra.Command, use func(context.Context, *Table) error) (err error) {
	ctx := cmd.Context()
	c, err := a.Config(cmd)
	if err != nil {
		return err
	}
	t, err := OpenConfigured(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	t.Config = c
	_, has, err := sinks.CheckFormat(ctx, t)
	if err == nil {
		err = tableid.Check(ctx, t.Table, has)
	}
	works, warns := command.WorksOnCopies(cmd)
	if isFormat(err) || tableid.Copied(err) && !works {
		return fmt.Errorf("table %s: %w", c.Table, err)
	}
	if tableid.Copied(err) && warns {
		fmt.Fprintf(a.Err, "footfall: warning: table %s: %v\n", c.Table, err)
	}
	t.Keys, t.Generations = has.Keys(), has
	if err = use(ctx, t); err == nil || ctx.Err() != nil {
		return err
	}
	for _, cause := range []error{sinks.ErrNoTable, sinks.ErrDenied, sinks.ErrUnknownOutcome} {
		if errors.Is(err, cause) {
			if advice := doctor.CheckTable(ctx, t.Admin, c.Table); advice != nil {
				return advice
			}
		}
	}
	return err
}

// isFormat reports whether the table is in a format of a later release. Whatever else keeps the format from being read is for the command
// to meet: there may be no table yet, or only items of some sites may be read.
func isFormat(err error) bool {
	_, ok := errors.AsType[*sinks.FormatError](err)
	return ok
}
