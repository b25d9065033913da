package analyze

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// figuresTable is the table of an analysis. It is in memory until it takes more than mostBytes, and in a file from then on.
type figuresTable struct {
	mu   sync.RWMutex // covers what is below, and is held for each request
	now  sinks.Table
	held *memory.Table // nil: it is in the file

	most int64                     // bytes of items that stay in memory
	kept string                    // path of the file that keeps the figures; "": a temporary file
	file func(complete bool) error // closes the file, and deletes it unless it keeps complete figures
	full error                     // why the items could not move to the file; all that writes ends with it
}

// mostBytes is how many bytes of keys and attributes stay in memory, which takes about twice as much for them.
const mostBytes = 80 << 20

// newTable is an empty table, whose figures the file that --table names keeps, if it is given.
func newTable(cmd *cobra.Command) (*figuresTable, error) {
	t := &figuresTable{held: new(memory.Table), most: mostBytes, file: func(bool) error { return nil }}
	t.now = t.held
	if f := cmd.Flags().Lookup("table"); f.Changed {
		var ok bool
		if t.kept, ok = strings.CutPrefix(f.Value.String(), "sqlite://"); !ok || t.kept == "" {
			return nil, command.Usagef("--table %s: footfall analyze writes a file: sqlite://FILE", f.Value)
		}
		// Counting may take long: what keeps the file from being made is said before.
		_, closeFile, err := t.open(cmd.Context())
		if err == nil {
			err = closeFile(false)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, t.held.Create(cmd.Context(), sinks.Shape{})
}

// move moves the items to the file, if they are in memory.
func (t *figuresTable) move(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held == nil || t.full != nil {
		return t.full
	}
	to, closeFile, err := t.open(ctx)
	if err == nil {
		if err = t.held.CopyTo(ctx, to); err != nil {
			err = errors.Join(err, closeFile(false))
		}
	}
	if err != nil {
		t.full = err
		return err
	}
	err = t.held.Close()
	t.now, t.held, t.file = to, nil, closeFile
	return err
}

// open makes the file. What closes it deletes it, too, unless it is to be kept and its figures are complete.
func (t *figuresTable) open(ctx context.Context) (to sinks.Table, closeFile func(complete bool) error, err error) {
	path, remove := t.kept, func() error { return nil }
	if path != "" {
		switch made, err := makeNew(path); {
		case err != nil:
			return nil, nil, err
		case made:
			remove = func() error { return removeTable(path) }
		}
	} else {
		dir, err := os.MkdirTemp("", "footfall-analyze-")
		if err != nil {
			return nil, nil, fmt.Errorf("temporary table: %w: set TMPDIR to a folder in which this user may write, or name a file with --table", err)
		}
		path, remove = filepath.Join(dir, command.DevTable), func() error { return os.RemoveAll(dir) }
	}
	table, err := connect.Open(ctx, "sqlite://"+path)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	closeFile = func(complete bool) error {
		err := table.Close()
		if !complete || t.kept == "" {
			err = errors.Join(err, remove())
		}
		return err
	}
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		return nil, nil, errors.Join(err, closeFile(false))
	}
	return table.Table, closeFile, nil
}

// makeNew makes an empty file, unless there is one. Why else it could not is what opening the table says.
func makeNew(path string) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return false, fmt.Errorf("--table sqlite://%s: the file exists, and its figures would be mixed with new ones: name another, or delete it",
			path)
	case err != nil:
		return false, nil
	}
	return true, f.Close()
}

// removeTable deletes the files of a table.
func removeTable(path string) (err error) {
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if gone := os.Remove(path + end); !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// close closes the table. Unless the count is complete, it deletes the file that was to keep the figures. Nothing uses the table any more.
func (t *figuresTable) close(complete bool) error { return t.file(complete) }

// do sends a request to where the items are. What writes may move them first.
func (t *figuresTable) do(ctx context.Context, writes bool, request func(sinks.Table) error) error {
	t.mu.RLock()
	full := writes && t.held != nil && t.held.Bytes() > t.most
	if !full {
		defer t.mu.RUnlock()
		return request(t.now)
	}
	t.mu.RUnlock()
	if err := t.move(ctx); err != nil {
		return err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return request(t.now)
}

// Update implements [sinks.Table].
func (t *figuresTable) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	err = t.do(ctx, true, func(to sinks.Table) error { r, err = to.Update(ctx, u); return err })
	return r, err
}

// Put implements [sinks.Table].
func (t *figuresTable) Put(ctx context.Context, p sinks.Put) (r sinks.Result, err error) {
	err = t.do(ctx, true, func(to sinks.Table) error { r, err = to.Put(ctx, p); return err })
	return r, err
}

// Delete implements [sinks.Table].
func (t *figuresTable) Delete(ctx context.Context, d sinks.Delete) (r sinks.Result, err error) {
	err = t.do(ctx, false, func(to sinks.Table) error { r, err = to.Delete(ctx, d); return err })
	return r, err
}

// BatchPut implements [sinks.Table].
func (t *figuresTable) BatchPut(ctx context.Context, items []sinks.Attrs) (r sinks.BatchResult, err error) {
	err = t.do(ctx, true, func(to sinks.Table) error { r, err = to.BatchPut(ctx, items); return err })
	return r, err
}

// BatchGet implements [sinks.Table].
func (t *figuresTable) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	err = t.do(ctx, false, func(to sinks.Table) error { r, err = to.BatchGet(ctx, g); return err })
	return r, err
}

// Query implements [sinks.Table].
func (t *figuresTable) Query(ctx context.Context, q sinks.Query) (p sinks.Page, err error) {
	err = t.do(ctx, false, func(to sinks.Table) error { p, err = to.Query(ctx, q); return err })
	return p, err
}
