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
//	erase.go     Options, Run: the turns of an erasure
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
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Grace is how long after every chain was seen to have recorded a tombstone the last sweep begins: a minute in which an
// owner that was replaced may still write, five for which its requests are valid, and as many to spare but one.
const Grace = 10 * time.Minute

// Options say whose data are to be erased. Table, Site, Person and ID are required.
type Options struct {
	Table   sinks.Table
	Keys    sinks.Keys
	HashKey []byte // of the visitors' hash, 16 bytes; nil: the one that the table keeps

	Site   string
	Person sites.Person
	ID     string

	// Breakdowns has rows of breakdowns dropped that only the visitor made. A user's cannot be found.
	Breakdowns bool

	Until time.Time     // up to which event time, if a tombstone is made; zero: now, and as far ahead as events may be
	Grace time.Duration // 0: Grace
	Now   func() time.Time

	DryRun bool // count what there is, and write nothing
	NoWait bool // end when the chains would have to be waited for

	// Skip names chains, topic/partition, that no process reads any more: they are not waited for. Where the last step of one is
	// open, what it wrote stays as the first sweep has left it, and the erasure is not done.
	Skip []string

	// Scrubber is the store where its files keep the bytes of what was deleted: it is scrubbed before the erasure is done. Nil:
	// they keep none.
	Scrubber sinks.Scrubber

	// Progress is called when the run enters another state, and at every look at the chains that it waits for. Nil: not called.
	Progress func(Report)
}

// every is how often the chains are looked at.
const every = 5 * time.Second

// run is one run of an erasure.
type run struct {
	Options
	table  sinks.Table // that repeats requests
	shards int         // of sessions
	hasher sketch.Hasher
	hash   sites.PersonHash
	log    *sites.Log
	zone   sites.Zone                   // that the site's entry fixes
	heads  map[sinks.TP]checkpoint.Head // as they were looked at last
	held   []sinks.TP                   // whose chains' last steps may be done again under older rules
	report Report
}

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
	if err := r.checkSkip(ctx); err != nil {
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
				if err = wait(ctx, every); err != nil {
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
				if err = wait(ctx, min(left, every)); err != nil {
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

// wait lets some time pass.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errCut says what to do about a run that was ended.
var errCut = errors.New("the erasure is not done: repeat the command to continue")

// tell reports to the caller how far the erasure is.
func (r *run) tell(p progress) {
	r.report.take(p, r.Grace)
	if r.Progress != nil {
		r.Progress(r.report)
	}
}

// Validate names every fault of o that shows without a look at the table.
func (o Options) Validate() error {
	var faults []error
	if o.Site == "" {
		faults = append(faults, errors.New("the site is empty: name the siteId of the person's events"))
	}
	if o.ID == "" || len(o.ID) > 256 {
		faults = append(faults, fmt.Errorf("%s %.32q: an id has 1 to 256 bytes", o.Person, o.ID))
	}
	if o.Breakdowns && o.Person != sites.Visitor {
		faults = append(faults, errors.New("breakdowns know visitors and no users: include them where you erase the user's visitorIds"))
	}
	if event.IsPlaceholder([]byte(o.ID)) {
		faults = append(faults, fmt.Errorf("%s %q: this id counts as absent: name another id", o.Person, o.ID))
	}
	for _, id := range []string{o.Site, o.ID} {
		if !utf8.ValidString(id) { // No event has it: the person would be taken for erased.
			faults = append(faults, fmt.Errorf("id %.32q is not valid UTF-8: spell it in UTF-8, as events are", id))
		}
	}
	return errors.Join(faults...)
}
