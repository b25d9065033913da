package sinks

import (
	"context"
	"errors"
	"time"
)

// Admin creates, describes and drops the table itself.
type Admin interface {
	// Create makes the table with its keys, both indexes and its TTL attribute, and returns when it can be
	// written. It is safe to run twice: an existing table of the same shape is left as it is. An existing table
	// of another shape is not touched; the error is a *ShapeError that names each difference.
	Create(ctx context.Context, s Shape) error

	// Describe says what the table is. An absent table is ErrNoTable.
	Describe(ctx context.Context) (Description, error)

	// Drop deletes the table with all its items, and returns when it is gone. An absent table is ErrNoTable.
	Drop(ctx context.Context) error
}

// Sweeper is a store that deletes nothing by itself. Sweep deletes some items whose time to live has passed at now
// and returns how many; whoever runs a pipeline on the store calls it from time to time. Not sweeping costs room,
// never a wrong answer: readers leave expired items out.
type Sweeper interface {
	Sweep(ctx context.Context, now time.Time) (deleted int, err error)
}

// Shape is what can be chosen about a table; keys, indexes and the TTL attribute cannot.
type Shape struct {
	ReadCapacity, WriteCapacity int64 // units a second of the table and of each index; both 0: on demand
	Recovery                    bool  // point-in-time recovery
	Stream                      bool  // a stream of new and old images
}

// Description is a table as it stands.
type Description struct {
	Name                        string
	Kind                        string // "dynamodb" or "sqlite"
	Status                      string // ACTIVE, CREATING, ...
	Billing                     string // "on-demand" or "provisioned"; "" where there is none
	ReadCapacity, WriteCapacity int64
	TTL                         bool // expired items are deleted by the store
	Recovery, Stream            bool
	Indexes                     []string // "GSI1", "GSI2"
	Items, Bytes                int64    // as the store estimates them
	Differences                 []string // what is not as footfall needs it, one sentence each; none: usable
}

// ShapeError says how an existing table differs from what was asked for.
type ShapeError struct {
	Table       string
	Differences []string
}

func (e *ShapeError) Error() string {
	var err error
	for _, d := range e.Differences {
		err = errors.Join(err, errors.New(d))
	}
	return "table " + e.Table + " exists with another shape: " + err.Error()
}
