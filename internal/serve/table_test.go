package serve

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
)

// unitTable is a table whose every read consumes one and a half units.
type unitTable struct {
	sinks.Table

	mu       sync.Mutex // covers requests
	requests int
}

func (u *unitTable) took() float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests++
	return 1.5
}

func (u *unitTable) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	p, err := u.Table.Query(ctx, q)
	p.Units = u.took()
	return p, err
}

func (u *unitTable) BatchGet(ctx context.Context, b sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := u.Table.BatchGet(ctx, b)
	r.Units = u.took()
	return r, err
}

// failingTable is a table whose reads fail.
type failingTable struct {
	sinks.Table
	err error
}

func (f failingTable) Query(context.Context, sinks.Query) (sinks.Page, error) {
	return sinks.Page{}, f.err
}

func (f failingTable) BatchGet(context.Context, sinks.BatchGet) (sinks.BatchResult, error) {
	return sinks.BatchResult{}, f.err
}

// A table that cannot be read is a problem that does not show what only the operator may know.
func TestFailuresOfTheTableAreProblems(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{sinks.ErrNoTable, http.StatusServiceUnavailable, "cannot be read"},
		{fmt.Errorf("arn:aws:secret: %w", sinks.ErrDenied), http.StatusServiceUnavailable, "cannot be read"},
		{fmt.Errorf("arn:aws:secret"), http.StatusInternalServerError, "the log of this server"},
		{context.DeadlineExceeded, http.StatusServiceUnavailable, "did not answer in time"},
	} {
		h := handler(t, failingTable{err: c.err})
		r, text := ask(t, h, "/api/v1/sites/shop/stats")
		wants(t, c.err.Error(), r, text, c.status, c.says)
	}
}

// A request that was cancelled is no failure that an operator should look at.
func TestCancelledRequestsAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	h := New(Options{Table: failingTable{err: fmt.Errorf("read: %w", context.Canceled)}, Now: func() time.Time { return now },
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	r, text := ask(t, h, "/api/v1/sites/shop/stats")
	if wants(t, "cancelled", r, text, http.StatusServiceUnavailable, "cancelled"); log.Len() > 0 {
		t.Errorf("the log has %s", &log)
	}
}
