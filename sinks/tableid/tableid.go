// Package tableid finds out whether a table is a copy of another one.
//
// A table that was restored from a backup, or exported and imported, has items of different instants, within a minute or two. Figures and
// checkpoints do not agree then. So the settings of a table record its id, which the store gives. A table with another id is a copy: it is
// refused until the command footfall table resume-restored has counted the topic again.
package tableid

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/sinks"
)

// Identity says which of all tables a table is.
type Identity struct {
	ID       string // no other table has it, nor one of the same name before; "": the store gives none
	Restored bool   // the store says that it has made the table of another one, or of a backup
}

// Identified is a store whose tables have identities. A table in a file has none: a copy of the file is of one instant.
type Identified interface {
	Identity(ctx context.Context) (Identity, error)
}

// Of returns the identity of a table, also of one that others wrap if they have Unwrap. It is zero if the store gives none.
func Of(ctx context.Context, t any) (Identity, error) {
	for {
		switch store := t.(type) {
		case Identified:
			return store.Identity(ctx)
		case interface{ Unwrap() sinks.Table }:
			t = store.Unwrap()
		default:
			return Identity{}, nil
		}
	}
}

// Check returns a *CopyError if the table is a copy of the one that its settings were written for, and a *sinks.RestoringError while a copy
// is being counted again.
func Check(ctx context.Context, t any, has sinks.Generations) error {
	if has.Restoring {
		return &sinks.RestoringError{}
	}
	id, err := Of(ctx, t)
	if err != nil {
		return err
	}
	return id.check(has.TableID)
}

// check compares the identity with the recorded id.
func (id Identity) check(recorded string) error {
	if id.ID == "" || id.ID == recorded || recorded == "" && !id.Restored {
		return nil
	}
	return &CopyError{recorded, id.ID}
}

// CopyError reports a table that is a copy of another one.
type CopyError struct {
	Recorded string // the id of the table that the settings were written for; "": not recorded
	ID       string // of this one
}

const resumeRestored = "run footfall table resume-restored, see docs/operations.md"

func (e *CopyError) Error() string {
	if e.Recorded == "" {
		return "this table was restored from another one or from a backup, and its items are of different instants: " + resumeRestored
	}
	return fmt.Sprintf("this table is a copy, and its items are of different instants: its settings were written for table id %s, this is "+
		"%s: %s", e.Recorded, e.ID, resumeRestored)
}

// Ensure is Check, and records the id of a table whose settings have none. Any number of processes may call it at once.
func Ensure(ctx context.Context, t sinks.Table, has sinks.Generations) error {
	id, err := Of(ctx, t)
	if err != nil {
		return fmt.Errorf("ask for the table's id: %w", err)
	}
	if err := id.check(has.TableID); err != nil || id.ID == "" || has.TableID != "" {
		return err
	}
	r, err := t.Update(ctx, sinks.Update{Key: sinks.Keys{}.TableSettings(),
		Set: []sinks.Attr{{Name: sinks.AttrTableID, Value: sinks.Str(id.ID)}},
		If:  []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}, {Attr: sinks.AttrTableID, Op: sinks.Absent}}})
	if err != nil {
		return fmt.Errorf("record the table's id: %w", err)
	}
	if r.Refused {
		return id.check(r.Item[sinks.AttrTableID].Str())
	}
	return nil
}

// Copied reports whether an error says that a table is a copy, or is being counted again because it is.
func Copied(err error) bool {
	_, copied := errors.AsType[*CopyError](err)
	_, restoring := errors.AsType[*sinks.RestoringError](err)
	return copied || restoring
}
