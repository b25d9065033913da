package erase

import (
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

	// Skip names chains, as Chain.Name spells them, that no process reads any more: they are not waited for. Where the last step of one is
	// open, what it wrote stays as the first sweep has left it, and the erasure is not done.
	Skip []string

	// Scrubber is the store where its files keep the bytes of what was deleted: it is scrubbed before the erasure is done. Nil:
	// they keep none.
	Scrubber sinks.Scrubber

	// Progress is called when the run enters another state, and at every look at the chains that it waits for. Nil: not called.
	Progress func(Report)
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

// run is one run of an erasure.
type run struct {
	Options
	table  sinks.Table // that repeats requests
	shards int         // of sessions
	hasher sketch.Hasher
	hash   sites.PersonHash
	log    *sites.Log
	watch  *Watch
	heads  map[sinks.TP]checkpoint.Head // as they were looked at last
	held   []sinks.TP                   // whose chains' last steps may be done again under older rules
	report Report
}

// tell reports to the caller how far the erasure is.
func (r *run) tell(p progress) {
	r.report.take(p, r.Grace)
	if r.Progress != nil {
		r.Progress(r.report)
	}
}
