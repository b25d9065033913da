package quarantine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// replacement is what a quarantine puts in the place of a damaged item.
type replacement struct {
	attrs  []string // that cannot be read
	set    []sinks.Attr
	clear  []string
	remove bool       // the item as a whole is removed
	fence  bool       // the chains are taken over
	also   []string   // attributes that must be unchanged, too
	states bool       // it is state that decides what other items receive
	chains []sinks.TP // that have a part in the item
}

// lostSpan returns the end of a chain's lost span, and the mark of the replacement. The replacement of a state is one from before the
// open step, so that the redo writes it. The replacement of a part has the mark of the open step, so that the redo leaves it out.
func (r *replacement) lostSpan(head checkpoint.Head, mark sinks.Value) (to, keep int64) {
	keep = head.Step
	if mark.Kind() == sinks.Number && mark.Int() > 0 {
		keep = min(keep, mark.Int())
	}
	switch {
	case head.Done || head.Step == 0:
		return head.To, keep
	case r.states:
		return head.From, min(keep, head.Step-1)
	case keep == head.Step:
		return head.To, keep
	}
	return head.From, keep
}

// put replaces an attribute.
func (r *replacement) put(name string, v sinks.Value) {
	r.set = append(r.set, sinks.Attr{Name: name, Value: v})
}

// errAhead reports a mark that the item cannot have.
var errAhead = errors.New("it is a step that the chain has not begun")

// replacementOf finds the unreadable attributes of an item, among them the marks that are ahead of their chains, and their replacement.
func (a *attempt) replacementOf(ctx context.Context, ahead []string) (replacement, error) {
	r := replacement{fence: true, chains: []sinks.TP{a.match.Fields.TP}}
	if len(a.item) == 2 {
		return r, nil // It is not there.
	}
	var f damage.Faults
	for _, name := range sinks.WrongKinds(a.match.Type.Entity, a.item) {
		f.Add(name, sinks.ErrKind)
	}
	for _, name := range ahead {
		f.Add(name, errAhead)
	}
	if err := a.sketches(&f, &r); err != nil {
		return r, err
	}
	if err := a.byKind(ctx, &f, &r); err != nil {
		return r, err
	}
	r.attrs = slices.Sorted(slices.Values(f.Attrs))
	for _, name := range f.Attrs {
		if a.item[name].Kind() != sinks.None && !slices.ContainsFunc(r.set, func(a sinks.Attr) bool { return a.Name == name }) &&
			!strings.HasPrefix(name, "w") {
			r.clear = append(r.clear, name)
		}
	}
	return r, nil
}

// sketches finds the unreadable ones among the attributes that hold bytes, and replaces them with empty ones.
func (a *attempt) sketches(f *damage.Faults, r *replacement) error {
	readers, err := readersOf(a.match.Type.Entity)
	if err != nil {
		return fmt.Errorf("%s: %w", a.match.Type.Name, err)
	}
	for name, part := range readers {
		f.Binary(a.item, name, part.read)
		if slices.Contains(f.Attrs, name) && part.empty.Kind() != sinks.None {
			r.put(name, part.empty)
		}
	}
	return nil
}

// byKind finds what else is unreadable in an item of this kind, and how the item is replaced.
func (a *attempt) byKind(ctx context.Context, f *damage.Faults, r *replacement) error {
	mark := sinks.AttrMark(laneOf(a.match), a.match.Fields.TP)
	switch a.match.Type.Entity {
	case sinks.EntitySession:
		r.states = true
		a.sessionBefore(f)
		f.Mark(a.item, mark)
	case sinks.EntityVisitor:
		r.states = true
		f.Mark(a.item, mark)
	case sinks.EntityBreakdown, sinks.EntityUniques, sinks.EntityRealtime:
		f.Mark(a.item, mark)
	case sinks.EntityNewSites:
		a.counts(f, r, sinks.NewSitesAttrs[:])
		f.Mark(a.item, mark)
	case sinks.EntityBudget:
		a.counts(f, r, sinks.BudgetAttrs[:])
		f.Mark(a.item, mark)
	case sinks.EntityArrival:
		a.counts(f, r, sinks.ArrivalAttrs[:])
		if a.item[sinks.AttrWeeks].Kind() != sinks.None {
			a.counts(f, r, sinks.ReturnAttrs[:])
		}
		f.Mark(a.item, mark)
	case sinks.EntityStats:
		r.chains = statsFaults(f, a.item, a.number)
	case sinks.EntityLate:
		if len(a.match.Cut) > 0 {
			return fmt.Errorf("the key cuts the siteId: %w", ErrIrreplaceable)
		}
		r.remove = true
	case sinks.EntityPack, sinks.EntityVisitorSessions, sinks.EntityNewSessions: // A repeated flush writes it once more.
		r.remove, r.fence = true, false
	case sinks.EntitySiteEntry:
		r.fence, r.chains = false, []sinks.TP{{Topic: a.number}}
		return a.entry(ctx, f, r)
	case sinks.EntityCheckpoint:
		r.fence = false
		return a.totals(ctx, f, r)
	default:
		r.remove, r.fence, r.chains = true, false, []sinks.TP{{Topic: a.number}}
	}
	return nil
}

// sessionBefore finds whether the state of a session before its last step can be read, and removes one that cannot. Without the state
// after the step no such state says anything.
func (a *attempt) sessionBefore(f *damage.Faults) {
	if a.item[sinks.AttrPrev].Kind() == sinks.None || slices.Contains(f.Attrs, sinks.AttrPrev) {
		return
	}
	cur, err := state.SessionOf(a.item)
	if err == nil {
		_, err = state.SessionBefore(a.item, &cur)
	}
	f.Add(sinks.AttrPrev, err)
}

// counts replaces unreadable counts, which are states, with 0.
func (a *attempt) counts(f *damage.Faults, r *replacement, names []string) {
	r.states = true
	f.Counts(a.item, names)
	for _, name := range names {
		if slices.Contains(f.Attrs, name) {
			r.put(name, sinks.Int(0))
		}
	}
}

// totals replaces the totals of a checkpoint, the only part of it that can be replaced, and fences like a takeover.
func (a *attempt) totals(ctx context.Context, f *damage.Faults, r *replacement) error {
	if err := checkpointFaults(f, a.item); err != nil {
		return err
	}
	if err := a.checkpoint(ctx); err != nil {
		return fmt.Errorf("%w: of a checkpoint only the totals can be replaced: %w", err, ErrIrreplaceable)
	}
	if len(f.Attrs) > 0 {
		r.put(checkpoint.AttrTotals, sinks.Str("{}"))
		r.put(checkpoint.AttrEpoch, sinks.Int(a.item[checkpoint.AttrEpoch].Int()+1))
		r.also = []string{checkpoint.AttrEpoch}
	}
	return nil
}

// statsFaults adds the unreadable parts of an hour's visitors, and returns the partitions that have a part in unreadable attributes.
func statsFaults(f *damage.Faults, it sinks.Item, number int64) (chains []sinks.TP) {
	shared := slices.ContainsFunc(f.Attrs, func(name string) bool {
		_, own := sinks.PartitionOf(sinks.EntityStats, name)
		return !own
	})
	for name, v := range it {
		tp, own := sinks.PartitionOf(sinks.EntityStats, name)
		if !own || tp.Topic != number {
			continue
		}
		if name == sinks.AttrUniques(tp) && v.Kind() == sinks.Binary {
			f.Binary(it, name, readHourSketch)
		}
		if name == sinks.AttrLeast(tp) || name == sinks.AttrGreatest(tp) {
			f.Extremes(it, tp)
		}
		if name == sinks.AttrMark(checkpoint.LaneStats, tp) && v.Kind() == sinks.Number && v.Int() <= 0 {
			f.Add(name, fmt.Errorf("%v is no step", v))
		}
		if (shared || slices.Contains(f.Attrs, name)) && !slices.Contains(chains, tp) {
			chains = append(chains, tp)
		}
	}
	slices.SortFunc(chains, func(a, b sinks.TP) int { return int(a.Partition) - int(b.Partition) })
	if len(chains) == 0 {
		chains = []sinks.TP{{Topic: number}}
	}
	return chains
}

// entry replaces the unreadable attributes of a site's entry in the list of sites. A lost mark becomes the first step's, because the
// chain knows the site.
func (a *attempt) entry(ctx context.Context, f *damage.Faults, r *replacement) error {
	if a.item[sinks.AttrSiteID].Kind() == sinks.None {
		f.Add(sinks.AttrSiteID, sinks.ErrMissing)
	}
	for _, name := range f.Attrs {
		tp, own := sinks.PartitionOf(sinks.EntitySiteEntry, name)
		switch {
		case name == sinks.AttrSiteID && len(a.match.Cut) > 0:
			return fmt.Errorf("the key cuts the siteId: %w", ErrIrreplaceable)
		case name == sinks.AttrSiteID:
			r.put(name, sinks.Str(a.match.Fields.Site))
		case name == sinks.AttrCreatedAt:
			log, err := sites.ReadLog(ctx, a.Table, a.Keys, nil)
			if err != nil {
				return err
			}
			if first := sites.FirstRules(log.History(a.match.Fields.Site)); first != nil {
				r.put(name, sinks.Int(time.Now().UnixMilli()))
			}
		case name == sinks.AttrRawItems || name == sinks.AttrRawPacks: // Readers look for events that may not be there.
			r.put(name, sinks.Int(1))
		case name == sinks.AttrZone: // The site's hours and days say nothing without it.
			return fmt.Errorf("%s, by which the site's hours and days are cut: put the name of the zone that sites.zone had when the site "+
				"was new: %w", name, ErrIrreplaceable)
		case name == sinks.AttrGenerationZones:
			return fmt.Errorf("%s has the site's zone since a rebuild --settings today: put generation:instant:zone, with what the "+
				"attribute %s of the table's settings has, and the zone that held then: %w", name, sinks.AttrToday, ErrIrreplaceable)
		case own && strings.HasPrefix(name, "w"):
			r.put(name, sinks.Int(1))
			r.chains = []sinks.TP{tp}
		case own:
			r.chains = []sinks.TP{tp}
		}
	}
	return nil
}

// checkpointFaults adds the totals of a checkpoint if they cannot be read. Nothing else of it can be replaced.
func checkpointFaults(f *damage.Faults, it sinks.Item) error {
	var totals checkpoint.Totals
	if s := it[checkpoint.AttrTotals]; s.Kind() == sinks.String && s.Str() != "" {
		if err := json.Unmarshal([]byte(s.Str()), &totals); err != nil {
			f.Add(checkpoint.AttrTotals, err)
		}
	} else if s.Kind() == sinks.None && it[checkpoint.AttrStep].Kind() != sinks.None {
		f.Add(checkpoint.AttrTotals, sinks.ErrMissing)
	}
	it = withoutTotals(it)
	if _, err := checkpoint.ReadHead(it); err != nil {
		return fmt.Errorf("%w: of a checkpoint only the totals can be replaced: %w", err, ErrIrreplaceable)
	}
	return nil
}

// checkpoint returns an error if each attribute of a checkpoint can be read, and no chain can continue from it nevertheless.
func (a *attempt) checkpoint(ctx context.Context) error {
	it := a.item
	past := checkpoint.Lineage{Table: a.send, Keys: a.Keys, TP: a.match.Fields.TP, Lane: laneOf(a.match)}
	c, err := checkpoint.ReadHead(withoutTotals(it))
	if err != nil {
		return err
	}
	if c.Step == 0 {
		return past.Unbegun(ctx)
	}
	if err := checkpoint.CheckTopicID(c.TopicID); err != nil {
		return sinks.Damaged(it.Key(), checkpoint.AttrTopic, err)
	}
	if list, err := past.History(ctx, 0); err != nil {
		return err
	} else if err := past.Strange(list, c); err != nil && c.Done { // The history of an open step may be missing.
		return err
	}
	if _, err := checkpoint.ParseSettings(c.Ver); err != nil {
		if err := checkpoint.DamagedSettings(it.Key(), err); errors.As(err, new(*sinks.DamagedError)) {
			return err
		}
	}
	log, err := sites.ReadLog(ctx, a.Table, a.Keys, nil)
	if err != nil {
		return err
	}
	for _, named := range []sinks.Attr{{Name: checkpoint.AttrRules, Value: sinks.Int(c.Rev)},
		{Name: checkpoint.AttrSeen, Value: sinks.Int(c.Seen)}} {
		if named.Value.Int() > log.Rev() {
			return sinks.Damaged(it.Key(), named.Name, fmt.Errorf("revision %d of the site settings: the table has %d", named.Value.Int(),
				log.Rev()))
		}
	}
	return nil
}

func withoutTotals(it sinks.Item) sinks.Item {
	rest := maps.Clone(it)
	rest[checkpoint.AttrTotals] = sinks.Str("{}")
	return rest
}
