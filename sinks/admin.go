package sinks

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Admin creates, describes and drops the table itself.
type Admin interface {
	// Create makes the table with its keys, its index and its TTL attribute, and returns when it can be
	// written. It is safe to run twice: an existing table of the same shape is left as it is. An existing table
	// of another shape is not touched; the error is a *ShapeError that names each difference.
	Create(ctx context.Context, s Shape) error

	// Describe says what the table is. An absent table is ErrNoTable.
	Describe(ctx context.Context) (Description, error)

	// Alter adds to the table what this version needs and it lacks, indexes and expiry, bills it as c asks, and returns when
	// it can be written. It looks first and does only what is not so: it may be repeated, and goes on where an earlier one
	// ended. What cannot be changed, the table's keys say, is a *ShapeError, and nothing is done. On other errors what was
	// done by then is answered too. An absent table is ErrNoTable.
	Alter(ctx context.Context, c Change) (Altered, error)

	// Drop deletes the table with all its items, and returns when it is gone. An absent table is ErrNoTable.
	Drop(ctx context.Context) error
}

// Sweeper is a store that deletes nothing by itself. Sweep deletes some items whose time to live has passed at now
// and returns how many; whoever runs a pipeline on the store calls it from time to time. Not sweeping costs room,
// never a wrong answer: readers leave expired items out.
type Sweeper interface {
	Sweep(ctx context.Context, now time.Time) (deleted int, err error)
}

// Scrubber is a store whose files keep the bytes of what was deleted. Scrub writes them without these. It may be repeated.
type Scrubber interface {
	Scrub(ctx context.Context) error
}

// Shape is what can be chosen about a table; keys, indexes and the TTL attribute cannot.
type Shape struct {
	ReadCapacity, WriteCapacity int64 // units a second of the table and of each index; both 0: on demand
	Recovery                    bool  // point-in-time recovery
	Stream                      bool  // a stream of new and old images
	Options
}

// Validate says what of the shape contradicts itself, by the flags that set it.
func (s Shape) Validate() error {
	provisioned := s.ReadCapacity != 0 || s.WriteCapacity != 0
	if provisioned && (s.ReadCapacity < 1 || s.WriteCapacity < 1) {
		return fmt.Errorf("--read-capacity %d --write-capacity %d: give both, 1 or more, or neither for billing on demand", s.ReadCapacity,
			s.WriteCapacity)
	}
	return s.Options.Validate(provisioned)
}

// Change is what can be changed about a table. The zero Change keeps its billing.
type Change struct {
	OnDemand                    bool  // bill by request; not with capacities
	ReadCapacity, WriteCapacity int64 // provision so many units a second for the table and each index; both 0: keep the billing
	// With capacities, auto scaling moves each between them and these, so that Utilization percent of it are in use. Both 0: no
	// auto scaling; what there was is removed.
	MaxReadCapacity, MaxWriteCapacity int64
	Utilization                       int  // 20 to 90, as AWS has it; 0: 70
	Dry                               bool // do nothing, only say what there is to do
	Options
}

// Validate says what of the change contradicts itself, by the flags that set it.
func (c Change) Validate() error {
	provisioned, scaled := c.ReadCapacity != 0 || c.WriteCapacity != 0, c.MaxReadCapacity != 0 || c.MaxWriteCapacity != 0
	switch {
	case c.OnDemand && (provisioned || scaled):
		return errors.New("--on-demand and capacities: choose one")
	case provisioned && (c.ReadCapacity < 1 || c.WriteCapacity < 1):
		return fmt.Errorf("--read-capacity %d --write-capacity %d: give both, 1 or more", c.ReadCapacity, c.WriteCapacity)
	case scaled && !provisioned:
		return errors.New("auto scaling begins at --read-capacity and --write-capacity: give both")
	case scaled && (c.MaxReadCapacity < c.ReadCapacity || c.MaxWriteCapacity < c.WriteCapacity):
		return fmt.Errorf("--max-read-capacity %d --max-write-capacity %d: give both, the capacities or more", c.MaxReadCapacity,
			c.MaxWriteCapacity)
	case c.Utilization != 0 && !scaled:
		return errors.New("--utilization is a target of auto scaling: give --max-read-capacity and --max-write-capacity too")
	case c.Utilization != 0 && (c.Utilization < 20 || c.Utilization > 90):
		return fmt.Errorf("--utilization %d: choose 20 to 90", c.Utilization)
	}
	return c.Options.Validate(provisioned)
}

// DefaultUtilization is auto scaling's target where none is chosen, in percent.
const DefaultUtilization = 70

// Altered says what Alter has done, or in a dry run would do, a line each.
type Altered struct {
	Done    []string // in order; none: all was as it should be
	Without []string // what was asked for and the store does not have
}

// Description is a table as it stands.
type Description struct {
	Name                        string
	Kind                        string // "dynamodb", "sqlite" or "memory"
	Status                      string // ACTIVE, CREATING, ...
	Billing                     string // "on-demand" or "provisioned"; "" where there is none
	ReadCapacity, WriteCapacity int64
	Options                          // as they are; MaxWriteUnits 0 of a provisioned table, all 0 of one without options
	TTL                         bool // expired items are deleted by the store
	Recovery, Stream            bool
	Indexes                     []string // those that footfall needs: "GSI1"
	Items, Bytes                int64    // as the store estimates them
	Differences                 []string // what is not as footfall needs it, one sentence each; none: usable
	Lasting                     []string // those of them that no Alter takes away
	OtherTTL                    string   // attribute of a time to live that must be turned off first; "": none. In Lasting too
}

// Inspector is a store that describes its table in parts, so that a part which is denied keeps no other back.
type Inspector interface {
	// Inspect is Describe, except that expiry and recovery may be missing.
	Inspect(ctx context.Context) (Inspection, error)

	// Quotas returns what the account may use.
	Quotas(ctx context.Context) (Quotas, error)

	// DeleteAbsent deletes an item by the request that writes several. The item must not exist: then nothing changes.
	DeleteAbsent(ctx context.Context, key Key) error

	// ServerTime returns what time it is where the table is, in whole seconds.
	ServerTime(ctx context.Context) (time.Time, error)
}

// Inspection is a table as far as it could be asked for.
type Inspection struct {
	Description
	TTLError      error // why expiry could not be asked for; nil: it was
	RecoveryError error // why recovery could not; it wraps errors.ErrUnsupported where the store has none
}

// Quotas are how many units a second an account and each of its tables may have, in this region.
type Quotas struct {
	AccountRead, AccountWrite int64
	TableRead, TableWrite     int64
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
