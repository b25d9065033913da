package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/sqlite"
)

// openedTable is a table of either kind. Close releases what the process holds of it, not the table.
type openedTable struct {
	sinks.Table
	sinks.Admin
	Close func() error

	config config.Config // that names it, if withTable opened it
}

// openTable opens dynamodb://NAME or sqlite://PATH as a configuration without other settings does.
func openTable(ctx context.Context, url string) (*openedTable, error) {
	c := config.Default()
	c.Table = url
	return openConfigured(ctx, c)
}

// inFile reports whether a table's URL names a SQLite file.
func inFile(url string) bool { return strings.HasPrefix(url, "sqlite://") }

// openConfigured opens the table of a configuration. It need not exist: Describe says whether it does.
func openConfigured(ctx context.Context, c config.Config) (*openedTable, error) {
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
		opened := &openedTable{Table: t, Admin: t, Close: func() error { return nil }}
		if c.DynamoDB.Client == config.ClientDirect {
			opened.Table = dynamo.NewDirect(t, client)
		}
		return opened, nil
	case "sqlite":
		t, err := sqlite.Open(name)
		if err != nil {
			return nil, err
		}
		return &openedTable{Table: t, Admin: t, Close: t.Close}, nil
	default:
		return nil, fmt.Errorf("table %q: write dynamodb://NAME or sqlite://PATH", url)
	}
}

// repeating returns the table for writes that may be repeated, and are for as long as reads.
func (t *openedTable) repeating() sinks.Table {
	return retry.Policy{Within: readPatience}.Table(t.Table)
}

// readPatience is how long a command repeats a read that the table throttles or does not answer.
const readPatience = time.Minute

// withTable opens the configured table for use. Where use fails on the table itself, the error says what to do.
func (a *app) withTable(cmd *cobra.Command, use func(context.Context, *openedTable) error) error {
	return a.withTableFor(cmd, readPatience, use)
}

// withTableFor is withTable with another patience than readPatience.
func (a *app) withTableFor(cmd *cobra.Command, patience time.Duration, use func(context.Context, *openedTable) error) (err error) {
	return a.withPlainTable(cmd, func(ctx context.Context, t *openedTable) error {
		t.Table = retry.Policy{Within: patience}.Reads(t.Table)
		return use(ctx, t)
	})
}

// withPlainTable is withTable for use that repeats reads itself.
func (a *app) withPlainTable(cmd *cobra.Command, use func(context.Context, *openedTable) error) (err error) {
	ctx := cmd.Context()
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	t, err := openConfigured(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	t.config = c
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
