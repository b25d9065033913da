package purge

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/sinks"
)

// State is how far a purge has come.
type State string

// The states, in order.
const (
	Begun    State = "begun"    // the tombstone is in the log of rules
	Recorded State = "recorded" // every chain has recorded the revision
	Swept    State = "swept"    // the first sweep is over
	Done     State = "done"     // the last sweep is over
)

// progress is the item of a purge.
type progress struct {
	Site                         string
	Rev                          int64
	State                        State
	FirstDay, RecordedAt, DoneAt int64    // ms since the epoch; 0: not yet. FirstDay is the first day that the site may have hours of
	Open                         []string // chains that were not waited for, and whose last flush is open
	Items, Units                 int64    // that were deleted; write units that this took

	stored State // as the table has it; "": it has none
}

// over reports whether nothing of the purge is left to be done.
func (p *progress) over() bool { return p.State == Done && len(p.Open) == 0 }

// resumed is the progress that a run continues from. A purge with open chains sweeps again: their next owners may have repeated the
// flushes.
func (p progress) resumed() progress {
	if p.State == Done {
		p.State, p.DoneAt = Swept, 0
	}
	return p
}

// loadProgress reads how far the purge of a revision has come.
func loadProgress(ctx context.Context, t sinks.Table, site string, rev int64) (progress, error) {
	key := sinks.Keys{}.Purge(rev)
	found, err := sinks.Get(ctx, t, key)
	if err != nil {
		return progress{}, fmt.Errorf("read how far purge %d has come: %w", rev, err)
	}
	return readProgress(site, rev, found[key]), nil
}

func readProgress(site string, rev int64, it sinks.Item) progress {
	p := progress{Site: site, Rev: rev, State: Begun}
	if it == nil {
		return p
	}
	p.State = State(it[sinks.AttrState].Str())
	p.stored = p.State
	p.FirstDay, p.RecordedAt, p.DoneAt = it[sinks.AttrFirstDay].Int(), it[sinks.AttrRecordedAt].Int(), it[sinks.AttrDoneAt].Int()
	p.Items, p.Units, p.Open = it[sinks.AttrGoneItems].Int(), it[sinks.AttrWriteUnits].Int(), it[sinks.AttrOpen].Strings()
	return p
}

// saving is how long a run that is ended has to record what it has done.
const saving = 5 * time.Second

// save records the progress in a state, unless another run has saved its own since: then that is taken. A purge with open chains is not
// done, so DoneAt stays 0.
func (r *run) save(ctx context.Context, p *progress, state State) error {
	later, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	if ctx.Err() == nil {
		later = ctx
	}
	if len(p.Open) > 0 {
		p.DoneAt = 0
	}
	standing := sinks.Cond{Attr: sinks.AttrPK, Op: sinks.Absent}
	if p.stored != "" {
		standing = sinks.Cond{Attr: sinks.AttrState, Op: sinks.Equal, Value: sinks.Str(string(p.stored))}
	}
	if p.State = state; state == "" {
		p.State = Begun
	}
	u := sinks.Update{Key: sinks.Keys{}.Purge(p.Rev), If: []sinks.Cond{standing}, Set: []sinks.Attr{
		{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityPurge)}, {Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)},
		{Name: sinks.AttrRev, Value: sinks.Int(p.Rev)}, {Name: sinks.AttrSiteID, Value: sinks.Str(p.Site)},
		{Name: sinks.AttrState, Value: sinks.Str(string(p.State))}, {Name: sinks.AttrFirstDay, Value: sinks.Int(p.FirstDay)},
		{Name: sinks.AttrRecordedAt, Value: sinks.Int(p.RecordedAt)}, {Name: sinks.AttrDoneAt, Value: sinks.Int(p.DoneAt)},
		{Name: sinks.AttrOpen, Value: sinks.Strings(p.Open)}, {Name: sinks.AttrGoneItems, Value: sinks.Int(p.Items)},
		{Name: sinks.AttrWriteUnits, Value: sinks.Int(p.Units)},
	}}
	answer, err := r.table.Update(later, u)
	if err != nil {
		return fmt.Errorf("record how far purge %d has come: %w", p.Rev, err)
	}
	if !answer.Refused {
		p.stored = p.State
		return nil
	}
	*p = readProgress(p.Site, p.Rev, answer.Item)
	return nil
}

// Report says how far a purge has come. Its JSON is an interface.
type Report struct {
	Site     string `json:"siteId"`
	Revision int64  `json:"revision"` // of the rules of sites: the tombstone
	State    State  `json:"state"`

	RecordedAt *time.Time `json:"recordedAt"` // null: not yet
	LastAt     *time.Time `json:"lastAt"`     // from when on the last sweep may begin; null: not known yet
	DoneAt     *time.Time `json:"doneAt"`     // null: not yet

	Items      int64         `json:"items"`      // that were deleted; runs that were killed are not counted
	WriteUnits int64         `json:"writeUnits"` // that this took
	Waiting    []erase.Chain `json:"waiting"`    // chains that have not recorded the revision
	Open       []string      `json:"open"`       // chains that were not waited for, whose last flush is open: the purge is not done
}

// Over reports whether the purge is done.
func (r Report) Over() bool { return r.State == Done && len(r.Open) == 0 }

// tell reports to the caller how far the purge is.
func (r *run) tell(p progress) {
	at := func(ms int64) *time.Time {
		if ms == 0 {
			return nil
		}
		t := time.UnixMilli(ms).UTC()
		return &t
	}
	r.report.Revision, r.report.State, r.report.Items, r.report.WriteUnits = p.Rev, p.State, p.Items, p.Units
	r.report.RecordedAt, r.report.DoneAt, r.report.LastAt = at(p.RecordedAt), at(p.DoneAt), nil
	if p.RecordedAt > 0 {
		r.report.LastAt = at(p.RecordedAt + r.Grace.Milliseconds())
	}
	r.report.Open = append([]string{}, p.Open...)
	if r.Progress != nil {
		r.Progress(r.report)
	}
}
