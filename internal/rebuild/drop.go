package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Dropped says what was deleted. Items with a time to live expire by themselves.
type Dropped struct {
	Generation int   `json:"generation"`
	Items      int64 `json:"items"` // without a time to live, deleted
}

// Drop gives up the generation that is being built. If there is none, it gives up the former one. It fences the chains and deletes the
// items that would never expire: sealed months, checkpoints, and stats that a site keeps for ever. What lies before the first date of the
// live generation stays. It may be cut short and repeated.
func Drop(ctx context.Context, table sinks.Table) (Dropped, error) {
	if err := Finish(ctx, table); err != nil {
		return Dropped{}, err
	}
	has, err := Look(ctx, table)
	if err == nil && has.Restoring {
		err = errRestoring
	}
	if err != nil {
		return Dropped{}, err
	}
	if has.Dropping == 0 {
		name, n := sinks.AttrBuilding, has.Building
		if n == 0 {
			name, n = sinks.AttrFormer, has.Former
		}
		if n == 0 {
			return Dropped{}, errors.New("the table has one generation of items, the live one: there is nothing to drop")
		}
		if has.Dropping, err = n, change(ctx, table, sinks.Update{
			Set:    []sinks.Attr{number(sinks.AttrDropping, n)},
			Remove: []string{name, sinks.AttrFollowing, sinks.AttrKeepBefore, sinks.AttrFromRaw},
			If:     []sinks.Cond{is(name, n, 0), is(sinks.AttrGeneration, has.Live, 1)}}); err != nil {
			return Dropped{}, err
		}
	}
	keys := sinks.KeysOfGeneration(has.Dropping)
	if err := fence(ctx, table, keys); err != nil {
		return Dropped{}, err
	}
	d := dropping{table: retry.Policy{}.Table(table), keys: keys, keeps: has.KeepsBefore(has.Dropping)}
	if err := d.sites(ctx); err != nil {
		return Dropped{}, err
	}
	if err := d.chains(ctx); err != nil { // Last, so that a repetition finds the chains to fence.
		return Dropped{}, err
	}
	done := sinks.Update{Remove: []string{sinks.AttrDropping}, If: []sinks.Cond{is(sinks.AttrDropping, has.Dropping, 0)}}
	if d.keeps == 0 { // Otherwise what lies before its own first date is read through it.
		if err := d.zones(ctx, has); err != nil {
			return Dropped{}, err
		}
		for name, list := range map[string]string{sinks.AttrKept: has.Kept, sinks.AttrToday: has.Today} {
			switch left := without(list, has.Dropping); left {
			case list:
			case "":
				done.Remove = append(done.Remove, name)
			default:
				done.Set = append(done.Set, sinks.Attr{Name: name, Value: sinks.Str(left)})
			}
		}
	}
	err = change(ctx, table, done)
	return Dropped{has.Dropping, d.items}, err
}

// dropping deletes items of a generation.
type dropping struct {
	table sinks.Table
	keys  sinks.Keys
	keeps int64 // the date before which items stay, because the live generation has no such dates; 0: none stays
	items int64
}

// sites deletes what sites would keep for ever, of what readers ask for most.
func (d *dropping) sites(ctx context.Context) error {
	return eachSite(ctx, query.NewOf(d.table, d.keys, time.Now), func(site string) error {
		lists := []sinks.Query{{PK: d.keys.UniquesList(site)}, {PK: d.keys.BreakdownList(site)}}
		for _, prefix := range []string{sinks.StatsPrefix, sinks.RealtimePrefix, sinks.BudgetPrefix} { // Not what is decided beside them.
			lists = append(lists, sinks.Query{PK: d.keys.Site(site), Prefix: prefix})
		}
		for _, q := range lists {
			if err := d.list(ctx, q, func(it sinks.Item) bool { return it[sinks.AttrTTL].Kind() == sinks.None && !d.kept(it.Key()) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// kept reports whether readers of the live generation still need an item.
func (d *dropping) kept(key sinks.Key) bool {
	if d.keeps == 0 {
		return false
	}
	split, ok := sinks.SplitAt(key.PK, key.SK, d.keeps)
	return ok && (split.Earlier(key.SK) || sinks.Straddles(key, d.keeps))
}

// chains deletes the checkpoints, with all that belongs to them. The numbers of the topics stay, which packs of raw events name, and so do
// the positions of replays of failed events, which belong to the table.
func (d *dropping) chains(ctx context.Context) error {
	topics, err := sinks.Topics(ctx, d.table, d.keys)
	if err != nil {
		return err
	}
	for number := range topics {
		pk := d.keys.Checkpoint(sinks.TP{Topic: number}, checkpoint.LaneStats).PK
		mine := func(it sinks.Item) bool { return it[sinks.AttrEntity].Str() != sinks.EntityReplay }
		if err := d.list(ctx, sinks.Query{PK: pk}, mine); err != nil {
			return err
		}
	}
	return nil
}

// list deletes those items of a list that which chooses.
func (d *dropping) list(ctx context.Context, q sinks.Query, which func(sinks.Item) bool) error {
	for it, err := range sinks.Items(ctx, d.table, q) {
		if err != nil {
			return err
		}
		if which(it) {
			if err := d.delete(ctx, it.Key()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *dropping) delete(ctx context.Context, key sinks.Key) error {
	if _, err := d.table.Delete(ctx, sinks.Delete{Key: key}); err != nil {
		return fmt.Errorf("delete %s / %s: %w", key.PK, key.SK, err)
	}
	d.items++
	return nil
}
