// Package purge removes a site from a table, while the pipeline runs: everything that was counted of it and decided about it, in all
// generations of items.
//
// A purge is a revision of the rules of sites, a tombstone. Under it the site is deleted, and records that were counted under an earlier
// revision count no more when a redo, a replay or a rebuild folds them again (package sites, purge.go). Nothing is deleted before every
// chain has recorded the revision, in all generations: a flush under earlier rules may need what the table has of the site, and would bring
// it back. Then the site is swept twice, in all generations, those that only keep earlier dates included:
//
//   - At once: all items are deleted. No flush under earlier rules is open, and none will begin.
//   - After erase.Grace: what late requests have brought back. By then no request of before can still be applied.
//
// Only then may the site be created again. It begins with nothing. Workers forget what they remember of the former site when they meet the
// first record of the new one (pipeline/internal/lanes, renew.go).
//
// How far a purge has come lies in the table. A run that was cut short is continued by the next, and repeating any part changes nothing.
//
//	purge.go     Run: the states of a purge, one after the other
//	progress.go  how far it has come, in the table and as a report
//	lists.go     finds the items of a site; estimate.go: how many there are, and what it costs to delete them
//	sweep.go     deletes them; tokens.go: takes the site from the tokens that name it
//	last.go      the last purge of each site, for verify
package purge

import (
	"cmp"
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

// Options say which site is purged. Table and Site are required.
type Options struct {
	Table sinks.Table
	Site  string

	IfRevision *int64           // the last revision that the site must have when the purge begins; nil: any
	WriteUnits int              // that the deletions may take of the table a second; 0: unlimited
	Skip       []string         // partitions that are not waited for, as erase.Options.Skip
	NoWait     bool             // end when the chains would have to be waited for
	Grace      time.Duration    // 0: erase.Grace
	Now        func() time.Time // nil: time.Now
	Scrubber   sinks.Scrubber   // as erase.Options.Scrubber
	Progress   func(Report)     // called when the run enters another state, and at every look at the chains; nil: not called
}

// patience repeats what the table refuses for lack of capacity, or does not answer, without end: a purge takes what the pipeline leaves.
// Every request of this package may be repeated.
var patience retry.Policy

// run is one run of a purge.
type run struct {
	Options
	table   sinks.Table // that repeats requests
	format  int         // of the table
	has     sinks.Generations
	units   *rate.Limiter // nil: unlimited
	decided int64         // when the site's first revision was decided, ms since the epoch; 0: it has none
	report  Report
}

// open reads what is known of the table and the site.
func open(ctx context.Context, o Options) (*run, *sites.Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Grace = cmp.Or(o.Grace, erase.Grace)
	r := &run{Options: o, table: patience.Table(o.Table), report: Report{Site: o.Site, Waiting: []erase.Chain{}, Open: []string{}}}
	if o.WriteUnits > 0 {
		r.units = rate.NewLimiter(rate.Limit(o.WriteUnits), o.WriteUnits)
	}
	var err error
	if r.format, r.has, err = sinks.CheckFormat(ctx, r.table); err != nil {
		return nil, nil, err
	}
	log, err := sites.ReadLog(ctx, r.table, sinks.Keys{}, nil)
	if err != nil {
		return nil, nil, err
	}
	if history := log.History(o.Site); len(history) > 0 {
		r.decided = history[0].At
	}
	return r, log, nil
}

// Run purges a site, or continues a purge of it that is not done. Of a site that was purged and not created again since, it sweeps what is
// left, and changes nothing if that is nothing. The report has the progress, also if there is an error; the run may be repeated.
func Run(ctx context.Context, o Options) (_ Report, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = errors.Join(errCut, err)
		}
	}()
	r, log, err := open(ctx, o)
	if err != nil {
		return Report{}, err
	}
	w := &erase.Watch{Table: r.table, Skip: o.Skip, Realtime: true}
	if err := w.CheckSkip(ctx); err != nil {
		return r.report, err
	}
	p, err := r.begin(ctx, log)
	if err == nil {
		err = r.purge(ctx, w, p)
	}
	return r.report, err
}

// errCut says what to do about a run that was ended.
var errCut = errors.New("the purge is not done: repeat the command to continue")

// begin returns the progress of the site's last purge, unless that is done and items were found since, or the site was created again. Then
// it appends the revision of another purge.
func (r *run) begin(ctx context.Context, log *sites.Log) (progress, error) {
	done := int64(0)
	if rev := sites.Gone(log.History(r.Site)); rev > 0 {
		p, err := loadProgress(ctx, r.table, r.Site, rev)
		if err != nil || !p.over() {
			return p.resumed(), err
		}
		switch left, err := r.estimate(ctx); {
		case err != nil || left.Items == 0:
			return p, err
		}
		done = rev
	}
	if r.format < sinks.FormatOfPurges { // A former release remembers the site when it is created again.
		return progress{}, fmt.Errorf("the table has format %d, and a purge needs %d: run footfall upgrade finalize first; nothing was changed",
			r.format, sinks.FormatOfPurges)
	}
	rev, err := sites.Decision{Table: r.table, Site: r.Site, Now: r.Now(), IfRevision: r.IfRevision}.Purge(ctx, done)
	if err != nil {
		return progress{}, err
	}
	return loadProgress(ctx, r.table, r.Site, rev)
}

func (r *run) purge(ctx context.Context, w *erase.Watch, p progress) error {
	for {
		r.tell(p)
		var err error
		switch p.State {
		case Begun, Swept:
			next, ready, err := r.look(ctx, w, &p)
			if err != nil {
				return err
			}
			if !ready && r.NoWait {
				return nil
			}
			if !ready {
				if err = erase.Wait(ctx, next); err != nil {
					return err
				}
				continue
			}
			if p.State == Begun {
				p.FirstDay, err = r.firstDay(ctx)
				p.State, p.RecordedAt = Recorded, r.Now().UnixMilli()
			} else if err = r.last(ctx, &p); err == nil {
				p.State, p.DoneAt = Done, r.Now().UnixMilli()
			}
			if err != nil {
				return errors.Join(err, r.save(ctx, &p, p.stored))
			}
		case Recorded:
			state := Recorded
			if err = r.sweep(ctx, &p); err == nil {
				state = Swept
			}
			p.State = state
		case Done:
			return nil
		}
		if err = errors.Join(err, r.save(ctx, &p, p.State)); err != nil {
			return err
		}
	}
}

// last is the last sweep: it deletes what late requests have brought back. Files of the table are scrubbed.
func (r *run) last(ctx context.Context, p *progress) error {
	err := r.sweep(ctx, p)
	if err == nil && r.Scrubber != nil {
		err = r.Scrubber.Scrub(ctx)
	}
	return err
}

// look reports whether the next sweep may begin, and when to look again if not. A chain that has come since the first sweep begins under
// the revision, or is waited for.
func (r *run) look(ctx context.Context, w *erase.Watch, p *progress) (again time.Duration, ready bool, err error) {
	if p.State == Swept {
		if left := time.UnixMilli(p.RecordedAt).Add(r.Grace).Sub(r.Now()); left > 0 {
			return min(left, erase.Every), false, nil
		}
	}
	seen, err := w.Recorded(ctx, p.Rev)
	if err != nil {
		return 0, false, err
	}
	r.report.Waiting, p.Open = seen.Waiting, seen.Open
	r.tell(*p)
	return erase.Every, len(seen.Waiting) == 0, nil
}
