package erase

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// State is how far an erasure has come.
type State string

// The states, in order.
const (
	Begun    State = "begun"    // the tombstone is in the log of rules
	Swept    State = "swept"    // the first sweep is over
	Recorded State = "recorded" // every chain has recorded the revision
	Done     State = "done"     // the last sweep is over
)

// The kinds of what is touched.
const (
	Events      = "raw events"
	Conversions = "conversions"
	Sessions    = "sessions"
	Visitors    = "states of visits"
	Arrivals    = "arrivals"
	Rows        = "rows of breakdowns"
	Annotations = "annotations"
)

// Counts are how many items of a kind were deleted or changed. A session that two sweeps change is counted by the first.
type Counts map[string]int64

// progress is the item of an erasure.
type progress struct {
	sites.Revision
	State                       State
	SweptAt, RecordedAt, DoneAt int64 // ms since the epoch; 0: not yet
	Open                        []string
	Touched                     Counts

	stored State // as the table has it; "": it has none
}

// over reports whether nothing of the erasure is left to be done.
func (p *progress) over() bool { return p.State == Done && len(p.Open) == 0 }

// Attributes of an erasure's item that no other has.
const (
	attrSweptAt = "sweptAt"
	attrTouched = "touched"
)

// loadProgress reads how far the erasure of a tombstone has come.
func loadProgress(ctx context.Context, t sinks.Table, c sites.Revision) (progress, error) {
	key := sinks.Keys{}.Erasure(c.Rev)
	found, err := sinks.Get(ctx, t, key)
	if err != nil {
		return progress{}, fmt.Errorf("read how far erasure %d has come: %w", c.Rev, err)
	}
	return readProgress(c, found[key])
}

func readProgress(c sites.Revision, it sinks.Item) (progress, error) {
	p := progress{Revision: c, State: Begun, Touched: make(Counts)}
	if it == nil {
		return p, nil
	}
	p.State = State(it[sinks.AttrState].Str())
	p.stored = p.State
	p.SweptAt, p.RecordedAt, p.DoneAt = it[attrSweptAt].Int(), it[sinks.AttrRecordedAt].Int(), it[sinks.AttrDoneAt].Int()
	p.Open = it[sinks.AttrOpen].Strings()
	if err := json.Unmarshal([]byte(it[attrTouched].Str()), &p.Touched); err != nil {
		return p, fmt.Errorf("erasure %d: what it touched: %w", c.Rev, err)
	}
	return p, nil
}

// saving is how long a run that is ended has to record what it has done.
const saving = 5 * time.Second

// outlive returns a context that ends so much later than ctx does.
func outlive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(d):
			cancel(context.Cause(ctx))
		case <-later.Done():
		}
	})
	return later, func() {
		stop()
		cancel(context.Canceled)
	}
}

// save records the progress, unless another run has saved its own since: then that is taken.
func (r *run) save(ctx context.Context, p *progress) error {
	ctx, cancel := outlive(ctx, saving)
	defer cancel()
	touched, err := json.Marshal(p.Touched)
	if err != nil {
		return err
	}
	standing := sinks.Cond{Attr: sinks.AttrPK, Op: sinks.Absent}
	if p.stored != "" {
		standing = sinks.Cond{Attr: sinks.AttrState, Op: sinks.Equal, Value: sinks.Str(string(p.stored))}
	}
	u := sinks.Update{Key: sinks.Keys{}.Erasure(p.Rev), If: []sinks.Cond{standing}, Set: []sinks.Attr{
		{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityErasure)}, {Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)},
		{Name: sinks.AttrRev, Value: sinks.Int(p.Rev)}, {Name: sinks.AttrSiteID, Value: sinks.Str(p.Site)},
		{Name: sinks.AttrErase, Value: sinks.Str(p.Erase.String())}, {Name: sinks.AttrState, Value: sinks.Str(string(p.State))},
		{Name: attrSweptAt, Value: sinks.Int(p.SweptAt)}, {Name: sinks.AttrRecordedAt, Value: sinks.Int(p.RecordedAt)},
		{Name: sinks.AttrDoneAt, Value: sinks.Int(p.DoneAt)}, {Name: attrTouched, Value: sinks.Str(string(touched))},
		{Name: sinks.AttrOpen, Value: sinks.Strings(p.Open)},
	}}
	answer, err := r.table.Update(ctx, u)
	if err != nil {
		return fmt.Errorf("record how far erasure %d has come: %w", p.Rev, err)
	}
	if !answer.Refused {
		p.stored = p.State
		return nil
	}
	*p, err = readProgress(p.Revision, answer.Item)
	return err
}

// Report says how far an erasure has come. Its JSON is an interface.
type Report struct {
	Site     string       `json:"siteId"`
	Person   sites.Person `json:"person"`
	DryRun   bool         `json:"dryRun,omitempty"`
	Revision int64        `json:"revision"` // of the rules of sites: the tombstone; 0: none was made
	Until    *time.Time   `json:"until"`    // up to which event time; null: no tombstone was made
	State    State        `json:"state,omitempty"`

	SweptAt    *time.Time `json:"sweptAt"`    // null: not yet
	RecordedAt *time.Time `json:"recordedAt"` // null: not yet
	LastAt     *time.Time `json:"lastAt"`     // from when on the last sweep may begin; null: not known yet
	DoneAt     *time.Time `json:"doneAt"`     // null: not yet

	Touched Counts `json:"touched"` // by kind; in a dry run, what would be
	// Later are items of the person with event times after Until. They are left: the person may have come back, or a clock was ahead.
	Later   int64    `json:"later"`
	Waiting []Chain  `json:"waiting"` // chains that have not recorded the revision; null in a list, which does not look for them
	Open    []string `json:"open"`    // chains that were not waited for, whose last step is open: the erasure is not done
}

// Chain is a chain of the stats lane, which must come to know of a tombstone.
type Chain struct {
	Generation int    `json:"generation,omitempty"` // of items; absent: the live one
	Topic      string `json:"topic"`
	Partition  int32  `json:"partition"`
	Owner      string `json:"owner"` // the process that took it over last; it may have ended since
	Revision   int64  `json:"revision"`
	Open       bool   `json:"open"` // its last step is; who takes it over does that again, under the rules that it had

	key      sinks.Key
	realtime bool // of the realtime lane
	fenced   bool // for good: its generation is a former one
	tp       sinks.TP
	head     checkpoint.Head
	settings []string
}

// Name is how Options.Skip spells the chain: topic/partition, in another generation than the live one G2#topic/partition.
func (c Chain) Name() string {
	name := fmt.Sprintf("%s/%d", c.Topic, c.Partition)
	if c.Generation > 0 {
		return fmt.Sprintf("G%d#%s", c.Generation, name)
	}
	return name
}

func (r *Report) take(p progress, grace time.Duration) {
	at := func(ms int64) *time.Time {
		if ms == 0 {
			return nil
		}
		t := time.UnixMilli(ms).UTC()
		return &t
	}
	r.Revision, r.State, r.Until = p.Rev, p.State, at(p.Erase.Until)
	r.SweptAt, r.RecordedAt, r.DoneAt, r.LastAt = at(p.SweptAt), at(p.RecordedAt), at(p.DoneAt), nil
	if p.RecordedAt > 0 {
		r.LastAt = at(p.RecordedAt + grace.Milliseconds())
	}
	r.Touched, r.Open = maps.Clone(p.Touched), append([]string{}, p.Open...)
}

// Over reports whether the erasure is done.
func (r Report) Over() bool { return r.State == Done && len(r.Open) == 0 }
