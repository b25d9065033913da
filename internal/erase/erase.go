// Package erase deletes what a table holds about one visitor or user of a site, while the pipeline runs, and exports it.
//
// An erasure is a revision of the rules of sites, a tombstone: a keyed hash of the person's id, and an instant of event time.
// Steps of the pipeline that name the revision, or a later one, write nothing that identifies the person from events up to that
// instant (package pipeline, erased.go). What the table holds is swept in two turns:
//
//   - At once: raw events and conversions are deleted, and sessions lose whose they are. Steps that were begun before the
//     tombstone may bring some of it back, and need the rest of the sessions' states.
//   - When every chain has recorded the revision, and Grace has passed since: the same again; sessions lose their pages, their
//     dimensions and their id, and what is known of the visitor's visits is deleted.
//
// By then an older step can only be written by an owner that was stopped in the middle of a request: every owner that has
// not heard from its chain's checkpoint for a minute asks it first, and a request is valid for 5 minutes.
//
// How far it has come lies in the table, so a run that was cut short at any point is gone on with by another. Repeating any
// part of it changes nothing.
//
//	erase.go     Run: the turns of an erasure; run.go: Options, and what a run has
//	begin.go     the erasure that a run continues, or the tombstone of a new one
//	progress.go  how far it has come; list.go: of all of them
//	chains.go    which chains have recorded it
//	sweep.go     the sweeps; find.go: what is the person's; export.go: hands it out
//	packs.go, lists.go  packs of raw events, and lists by visitor, are written without the person
//	breakdowns.go  rows of breakdowns that only the person made; sealed.go: what is sealed of them
//	read.go      reading what a query selects
package erase

import (
	"context"
	"errors"
	"time"
)

// Run erases what the table holds of a person, or continues an interrupted erasure of the person. The report has the progress,
// also if there is an error; the run may be repeated.
func Run(ctx context.Context, o Options) (_ Report, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = errors.Join(errCut, err)
		}
	}()
	r, err := open(ctx, o)
	if err != nil {
		return Report{}, err
	}
	r.report = Report{Site: o.Site, Person: o.Person, Touched: make(Counts), Waiting: []Chain{}, Open: []string{}}
	if err := r.watch.CheckSkip(ctx); err != nil {
		return r.report, err
	}
	if o.DryRun {
		r.report.DryRun = true
		return r.report, r.count(ctx)
	}
	err = r.erase(ctx)
	return r.report, err
}

func (r *run) erase(ctx context.Context) error {
	p, err := r.begin(ctx)
	if err != nil {
		return err
	}
	for {
		r.tell(p)
		switch p.State {
		case Begun:
			if err = r.sweep(ctx, &p, false); err == nil {
				p.State, p.SweptAt = Swept, r.Now().UnixMilli()
			}
		case Swept:
			var all bool
			if all, err = r.recorded(ctx, &p); err != nil {
				return err
			}
			if !all {
				if r.NoWait {
					return nil
				}
				if err = Wait(ctx, Every); err != nil {
					return err
				}
				continue
			}
			p.State, p.RecordedAt = Recorded, r.Now().UnixMilli()
		case Recorded:
			if left := time.UnixMilli(p.RecordedAt).Add(r.Grace).Sub(r.Now()); left > 0 {
				if r.NoWait {
					return nil
				}
				if err = Wait(ctx, min(left, Every)); err != nil {
					return err
				}
				continue
			}
			var all bool
			if all, err = r.recorded(ctx, &p); err != nil {
				return err
			}
			if !all { // A chain that is new.
				p.State, p.RecordedAt = Swept, 0
				break
			}
			if err = r.sweep(ctx, &p, true); err == nil && r.Scrubber != nil {
				err = r.Scrubber.Scrub(ctx)
			}
			if err == nil {
				p.State, p.DoneAt = Done, r.Now().UnixMilli()
			}
		case Done:
			return nil
		}
		if err = errors.Join(err, r.save(ctx, &p)); err != nil {
			return err
		}
	}
}

// errCut says what to do about a run that was ended.
var errCut = errors.New("the erasure is not done: repeat the command to continue")
