package rebuild

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/kept"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Each change of the generations is one compare-and-set on the table's settings. Chains are fenced afterwards. Until that is done the
// settings say so (flipped, dropping), and the next command finishes it.

// ErrUnused reports a table that no pipeline has used yet.
var ErrUnused = errors.New("no pipeline has used the table yet: there is nothing to rebuild")

// ErrChanged reports that another command has changed the generations at the same time.
var ErrChanged = errors.New("another command has changed the table's generations at the same time: see footfall rebuild status")

// Look reads which generations the table has, and changes nothing. A table without settings is [ErrUnused].
func Look(ctx context.Context, table sinks.Table) (sinks.Generations, error) {
	s, err := settingsOf(ctx, table)
	return s.Generations, err
}

func settingsOf(ctx context.Context, table sinks.Table) (sinks.TableSettings, error) {
	s, ok, err := sinks.LoadTableSettings(ctx, retry.Policy{}.Table(table), sinks.Keys{})
	if err == nil && !ok {
		err = ErrUnused
	}
	return s, err
}

// Start is what a new generation is made of. One that is being built keeps its own.
type Start struct {
	KeepBefore int64 // its first date, as in [sinks.Generations]; 0: it has all
	FromRaw    bool  // raw events serve for records that the topic has lost
	Today      int64 // when a rebuild under the settings of today began, ms since the epoch; 0: the settings are those of then
}

// Begin gives out the number of the generation that is built next, or returns the one that is being built. It may be repeated.
func Begin(ctx context.Context, table sinks.Table, of Start) (sinks.Generations, error) {
	s, err := settingsOf(ctx, table)
	has := s.Generations
	switch {
	case err != nil:
		return has, err
	case has.Restoring:
		return has, errRestoring
	case has.Building > 0:
		return has, nil
	case s.Fencing:
		return has, errors.New("footfall upgrade finalize was cut short: run it again first")
	case s.Format != sinks.LastFormat:
		return has, fmt.Errorf("the table has format %d, and a rebuild needs %d: run footfall upgrade finalize first", s.Format, sinks.LastFormat)
	case has.Former > 0:
		return has, fmt.Errorf("generation %d is live, and generation %d, which was live before, is kept: before another rebuild, run footfall "+
			"rebuild drop", has.Live, has.Former)
	case has.Dropping > 0:
		return has, fmt.Errorf("generation %d is being dropped: run footfall rebuild drop again", has.Dropping)
	}
	next := has.Last + 1
	set := []sinks.Attr{number(sinks.AttrBuilding, next), number(sinks.AttrGenerations, next)}
	if of.KeepBefore > 0 {
		set = append(set, sinks.Attr{Name: sinks.AttrKeepBefore, Value: sinks.Int(of.KeepBefore)})
	}
	if of.FromRaw {
		set = append(set, number(sinks.AttrFromRaw, 1))
	}
	set, has.Today = decidedBy(set, has, next, of.Today)
	err = change(ctx, table, sinks.Update{
		Set: set,
		If: []sinks.Cond{is(sinks.AttrGeneration, has.Live, 1), is(sinks.AttrGenerations, has.Last, 1), is(sinks.AttrBuilding, 0, 0),
			is(sinks.AttrFormer, 0, 0)},
	})
	has.Building, has.Last, has.KeepBefore, has.FromRaw = next, next, of.KeepBefore, of.FromRaw
	return has, err
}

// decidedBy adds to what is set until when decisions hold for all that the next generation has, and returns what the settings say then. A
// rebuild under the settings of then counts as the live generation has counted.
func decidedBy(set []sinks.Attr, has sinks.Generations, next int, today int64) ([]sinks.Attr, string) {
	if today = max(today, kept.DecidedBy(has, has.Live)); today > 0 {
		has.Today = with(has.Today, fmt.Sprintf("%d:%d", next, today))
		set = append(set, sinks.Attr{Name: sinks.AttrToday, Value: sinks.Str(has.Today)})
	}
	return set, has.Today
}

// with adds an entry to a list of the settings.
func with(list, entry string) string { return strings.TrimSpace(list + " " + entry) }

// without leaves the entry of a generation out of a list of the settings.
func without(list string, of int) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(list), func(entry string) bool {
		return strings.HasPrefix(entry, strconv.Itoa(of)+":")
	}), " ")
}

// Follow has flushes of the generation that is being built send raw events and failed events, as those of the live one do: once it has
// returned, none begins as a rebuilt one. It may be repeated, and must have been run before Flip.
func Follow(ctx context.Context, table sinks.Table, has sinks.Generations) error {
	if has.Building == 0 {
		return errNoneBuilding
	}
	err := change(ctx, table, sinks.Update{Set: []sinks.Attr{number(sinks.AttrFollowing, 1)},
		If: []sinks.Cond{is(sinks.AttrGeneration, has.Live, 1), is(sinks.AttrBuilding, has.Building, 0)}})
	if err != nil {
		return err
	}
	return fence(ctx, table, has.BuildingKeys())
}

var errNoneBuilding = errors.New("no generation is being rebuilt: run footfall rebuild")

// Flip makes the generation that is being built the live one, and fences the chains of the one before, which is kept.
func Flip(ctx context.Context, table sinks.Table, has sinks.Generations) error {
	if has.Building == 0 {
		return errNoneBuilding
	}
	set := []sinks.Attr{number(sinks.AttrGeneration, has.Building), number(sinks.AttrFormer, has.Live), number(sinks.AttrFlipped, 1)}
	if has.KeepBefore > 0 {
		kept := sinks.Kept{Of: has.Building, From: has.Live, Date: has.KeepBefore}
		set = append(set, sinks.Attr{Name: sinks.AttrKept, Value: sinks.Str(with(has.Kept, kept.String()))})
	}
	err := change(ctx, table, sinks.Update{
		Set:    set,
		Remove: []string{sinks.AttrBuilding, sinks.AttrFollowing, sinks.AttrKeepBefore, sinks.AttrFromRaw},
		If: []sinks.Cond{is(sinks.AttrGeneration, has.Live, 1), is(sinks.AttrBuilding, has.Building, 0),
			is(sinks.AttrFollowing, 1, 0)},
	})
	if err != nil {
		return err
	}
	return Finish(ctx, table)
}

// Back makes the generation that was live before the live one again, and keeps the present one in its place. The chains of the one
// continue from their checkpoints: the log must still have the records from there on.
func Back(ctx context.Context, table sinks.Table, has sinks.Generations) error {
	if has.Former == 0 {
		return errors.New("no former generation is kept: there is nothing to go back to")
	}
	live, first := []sinks.Attr{number(sinks.AttrGeneration, has.Former)}, []string(nil)
	if has.Former == 1 { // An absent attribute says so.
		live, first = nil, []string{sinks.AttrGeneration}
	}
	err := change(ctx, table, sinks.Update{
		Set:    append(live, number(sinks.AttrFormer, has.Live), number(sinks.AttrFlipped, 1)),
		Remove: first,
		If:     []sinks.Cond{is(sinks.AttrGeneration, has.Live, 1), is(sinks.AttrFormer, has.Former, 0)},
	})
	if err != nil {
		return err
	}
	return Finish(ctx, table)
}

// Finish does what is left of a flip that was cut short: it fences the chains of the former generation.
func Finish(ctx context.Context, table sinks.Table) error {
	has, err := Look(ctx, table)
	if err != nil || !has.Flipped {
		return err
	}
	if err := fence(ctx, table, has.FormerKeys()); err != nil {
		return err
	}
	err = change(ctx, table, sinks.Update{Remove: []string{sinks.AttrFlipped},
		If: []sinks.Cond{is(sinks.AttrGeneration, has.Live, 1), is(sinks.AttrFormer, has.Former, 0)}})
	if errors.Is(err, ErrChanged) {
		return nil // The command that has changed it fences the chains of the generation that it replaced.
	}
	return err
}

// fence fences all chains of a generation. Its owners then read that it is not the one to write.
func fence(ctx context.Context, table sinks.Table, keys sinks.Keys) error {
	table = retry.Policy{}.Table(table)
	chains, err := chainsOf(ctx, table, keys)
	if err != nil {
		return err
	}
	client, by := checkpoint.NewClient(table), checkpoint.Owner{Name: checkpoint.OwnerRebuild + checkpoint.OwnerName()}
	for _, key := range chains {
		if err := checkpoint.Fence(ctx, client, key, by); err != nil {
			return fmt.Errorf("fence %s / %s: %w", key.PK, key.SK, err)
		}
	}
	return nil
}

// chainsOf lists the checkpoints of all topics of a generation.
func chainsOf(ctx context.Context, table sinks.Table, keys sinks.Keys) (all []sinks.Key, err error) {
	topics, err := sinks.Topics(ctx, table, keys)
	if err != nil {
		return nil, err
	}
	for _, number := range slices.Sorted(maps.Keys(topics)) {
		chains, err := checkpoint.LoadChains(ctx, table, keys, number)
		if err != nil {
			return nil, fmt.Errorf("topic %q: %w", topics[number], err)
		}
		for id := range chains {
			all = append(all, keys.Checkpoint(sinks.TP{Topic: number, Partition: id.Partition}, id.Lane))
		}
	}
	return all, nil
}

// change applies an update to the table's settings. Where its conditions do not hold, it has been applied before, or the error is
// ErrChanged.
func change(ctx context.Context, table sinks.Table, u sinks.Update) error {
	u.Key = sinks.Keys{}.TableSettings()
	u.If = append(u.If, sinks.Cond{Attr: sinks.AttrPK, Op: sinks.Present})
	r, err := retry.Policy{}.Table(table).Update(ctx, u)
	switch {
	case err != nil:
		return fmt.Errorf("change the table's generations: %w", err)
	case !r.Refused:
		return nil
	}
	for _, a := range u.Set {
		if !r.Item[a.Name].Equal(a.Value) {
			return ErrChanged
		}
	}
	for _, name := range u.Remove {
		if r.Item[name].Kind() != sinks.None {
			return ErrChanged
		}
	}
	return nil
}

func number(name string, n int) sinks.Attr { return sinks.Attr{Name: name, Value: sinks.Int(int64(n))} }

// is is the condition that an attribute has a value. An absent attribute has the value absent.
func is(name string, n, absent int) sinks.Cond {
	if n == absent {
		return sinks.Cond{Attr: name, Op: sinks.Absent}
	}
	return sinks.Cond{Attr: name, Op: sinks.Equal, Value: sinks.Int(int64(n))}
}
