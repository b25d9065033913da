package pipeline

import (
	"context"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/lanes"
)

// fold folds decoded records, all lanes at once.
func (in *intake) fold(ctx context.Context, records []decoding.Record) error {
	in.fixTerms()
	in.judge(records)
	if err := in.meet(ctx, records); err != nil {
		return err
	}
	if err := in.loadStates(ctx, records); err != nil {
		return err
	}
	in.add(records)
	in.forgetRefused()
	in.addCounts()
	return nil
}

// fixTerms fixes under which rules of sites, and up to which record time, records are judged that a step takes first.
func (in *intake) fixTerms() {
	for _, l := range in.lanes {
		l.FixRules(in.rules.Latest())
		l.Date(in.now())
	}
	in.readClock()
}

// loadStates reads the states that the lanes need for their records: first what decides which states those are, then the states, and
// what these call for in turn.
func (in *intake) loadStates(ctx context.Context, records []decoding.Record) error {
	for _, l := range in.lanes {
		l.AdoptFirstRules(in.rules.Latest())
	}
	in.eachAccepted(records, func(l *lanes.Lane, r *aggregate.Input) { l.Fold.Prepare(r, in.load) })
	if err := in.load.Load(ctx); err != nil {
		return err
	}
	in.eachAccepted(records, func(l *lanes.Lane, r *aggregate.Input) { l.Fold.Want(r, in.load) })
	for rest := true; rest; rest = in.load.Asked() {
		if err := in.load.Load(ctx); err != nil {
			return err
		}
		for _, l := range in.lanes {
			if err := l.Fold.Loaded(in.load); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachAccepted calls do for each lane that accepts a record, in the order of records.
func (in *intake) eachAccepted(records []decoding.Record, do func(*lanes.Lane, *aggregate.Input)) {
	for i := range records {
		r := &records[i]
		in.at = r.Raw.Offset
		for _, l := range in.lanes {
			if r.Verdicts[l.N] == event.Accepted {
				do(l, &r.Input)
			}
		}
	}
}

// add adds the records to the lanes' steps.
func (in *intake) add(records []decoding.Record) {
	for i := range records {
		r := &records[i]
		in.at = r.Raw.Offset
		for _, l := range in.lanes {
			reason := r.Verdicts[l.N]
			if reason == folded {
				continue
			}
			l.Take(r, in.arrived)
			switch reason {
			case event.Accepted:
				l.Fold.Add(&r.Input)
			case event.Duplicate:
				l.Taken.Repeats++
			}
			if l == in.stats {
				in.account(r, reason)
			}
		}
	}
}

// readClock gives the folds the time: they have no clock.
func (in *intake) readClock() {
	now := in.now().UnixMilli()
	for _, l := range in.lanes {
		l.Fold.At(now)
	}
}

// folded is the verdict on a record that a lane has folded before.
const folded event.Reason = "folded"

// judge decides for each lane whether a record counts. The limit on new sites is applied later, by meet.
func (in *intake) judge(records []decoding.Record) {
	for i := range records {
		r := &records[i]
		in.at = r.Raw.Offset
		for _, l := range in.lanes {
			r.Verdicts[l.N] = folded
			if l.Position(r) >= l.Pos {
				r.Verdicts[l.N] = in.verdict(l, r)
			}
		}
	}
}

// verdict is the lane's verdict on a record under the settings and the rules of the lane's step.
func (in *intake) verdict(l *lanes.Lane, r *decoding.Record) event.Reason {
	switch {
	case r.Reason != event.Accepted:
		return r.Reason
	case r.Repeats.Within > 0 && in.seen.Has(r.Repeats, l.Settings.Duplicates):
		return event.Duplicate
	}
	if reason := l.Settings.Judge(&r.Event, r.Time); reason != event.Accepted {
		return reason
	}
	return in.registered(l, r)
}
