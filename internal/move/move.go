package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Options say which site moves. From, To and Site are required.
type Options struct {
	From, To   sinks.Table
	Site       string
	WriteUnits int              // that the copy may take of the new table a second; 0: unlimited
	Now        func() time.Time // nil: time.Now
	// Waiting is called with the chains of a table that have to record a revision; nil: not called.
	Waiting func(table string, chains []erase.Chain)
}

// Report says what a run has done. Its JSON is an interface.
type Report struct {
	Site       string  `json:"siteId"`
	Revision   int64   `json:"revision"`   // of the new table, under which the site is there
	Items      int64   `json:"items"`      // that were copied; those that were there already are counted, too
	WriteUnits float64 `json:"writeUnits"` // that this run has taken
	Before     bool    `json:"before"`     // the site had moved before; this run has changed nothing
}

// run is one run of a move.
type run struct {
	Options
	from, to sinks.Table // that repeat requests
	old, new sinks.Keys  // of the live generations
	shards   int         // of sessions, in both tables
	units    *rate.Limiter
	plan     []sites.Revision // of the site in the new table, but for their numbers: the last one brings it to life
	history  []sites.Revision // of the site in the old table that they are made of
	erasures []int64          // their numbers, where they are erasures
	report   Report
}

// Run moves a site, or continues a move. Nothing of the old table is changed.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &run{Options: o, from: retry.Policy{}.Table(o.From), to: retry.Policy{}.Table(o.To), report: Report{Site: o.Site}}
	if o.WriteUnits > 0 {
		r.units = rate.NewLimiter(rate.Limit(o.WriteUnits), o.WriteUnits)
	}
	err := r.move(ctx)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(errCut, err)
	}
	return r.report, err
}

// errCut says what to do about a run that was ended.
var errCut = errors.New("the move is not done: repeat the command to continue")

func (r *run) move(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	if err := r.await(ctx, r.from, "old", r.history[len(r.history)-1].Rev); err != nil {
		return err
	}
	if err := r.erased(ctx); err != nil {
		return err
	}
	last := len(r.plan) - 1
	done, err := r.decided(ctx)
	if err != nil {
		return err
	}
	if len(done) > last {
		r.report.Before, r.report.Revision = true, done[last].Rev
		return nil
	}
	if done, err = r.decide(ctx, last); err != nil { // The site is there, and deleted.
		return err
	}
	if err := r.await(ctx, r.to, "new", done[last-1].Rev); err != nil {
		return err
	}
	if err := r.uncounted(ctx); err != nil {
		return err
	}
	if err := r.copy(ctx, done); err != nil {
		return r.unless(ctx, err)
	}
	if err := r.unchanged(ctx); err != nil {
		return err
	}
	done, err = r.decide(ctx, last+1)
	if err == nil {
		r.report.Revision = done[last].Rev
	}
	return err
}

// unless returns an error unless another run has moved the site: what is counted since has other items.
func (r *run) unless(ctx context.Context, err error) error {
	done, unread := r.decided(ctx)
	if unread != nil || len(done) < len(r.plan) {
		return err
	}
	r.report.Before, r.report.Revision = true, done[len(done)-1].Rev
	return nil
}

// await waits until every chain of a table has recorded a revision.
func (r *run) await(ctx context.Context, table sinks.Table, name string, rev int64) error {
	w := &erase.Watch{Table: table, Realtime: true}
	for {
		seen, err := w.Recorded(ctx, rev)
		if err != nil || len(seen.Waiting) == 0 {
			return err
		}
		if r.Waiting != nil {
			r.Waiting(name, seen.Waiting)
		}
		if err := erase.Wait(ctx, erase.Every); err != nil {
			return err
		}
	}
}

// erased returns an error unless all erasures of the site are done. One that is not may still change items.
func (r *run) erased(ctx context.Context) error {
	for _, rev := range r.erasures {
		key := sinks.Keys{}.Erasure(rev)
		found, err := sinks.Get(ctx, r.from, key)
		if err != nil {
			return err
		}
		if it := found[key]; it[sinks.AttrDoneAt].Int() == 0 || len(it[sinks.AttrOpen].Strings()) > 0 {
			return fmt.Errorf("erasure %d of site %q is not done: complete it first, see footfall erase list", rev, r.Site)
		}
	}
	return nil
}

// unchanged returns an error if anything was decided about the site since it was read.
func (r *run) unchanged(ctx context.Context) error {
	log, err := sites.ReadLog(ctx, r.from, sinks.Keys{}, nil)
	if err != nil {
		return err
	}
	history := log.History(r.Site)
	if have, want := history[len(history)-1].Rev, r.history[len(r.history)-1].Rev; have != want {
		return fmt.Errorf("site %q was changed in the old table while it moved, by revision %d: run footfall site purge in the new table, and "+
			"begin again", r.Site, have)
	}
	return nil
}
