package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"
)

// scrubAttempts is how often a checkpoint is tried that a reader of another process holds up, and scrubPause lies between
// two: readers of ours hold a snapshot for milliseconds.
const (
	scrubAttempts = 20
	scrubPause    = 250 * time.Millisecond
)

// errHeldUp says what to do about a file that others read all the time.
var errHeldUp = errors.New("another process reads the file all the time, so that its log keeps bytes of what was deleted: " +
	"end that process and repeat the command")

// Scrub writes the file anew and empties the log beside it, so that they hold no byte of what was deleted. It needs as much
// room again as the file. Other verbs, and other processes, wait meanwhile or are told that the file is busy.
func (t *Table) Scrub(ctx context.Context) error {
	return t.wrap(t.scrub(ctx), "rewrite the file without deleted data")
}

func (t *Table) scrub(ctx context.Context) error {
	var c *conn
	select {
	case c = <-t.writer:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.closed:
		return errClosed
	}
	c, err := t.connected(c)
	if err == nil {
		err = c.scrub(ctx)
	}
	t.writer <- t.kept(c, err)
	return err
}

func (c *conn) scrub(ctx context.Context) error {
	if _, err := c.exec("VACUUM"); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		var busy int64
		err := c.query("PRAGMA wal_checkpoint(TRUNCATE)", func(r []driver.Value) (bool, error) {
			busy, _ = r[0].(int64)
			return false, nil
		})
		if err != nil || busy == 0 {
			return err
		}
		if attempt == scrubAttempts {
			return errHeldUp
		}
		select {
		case <-time.After(scrubPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
