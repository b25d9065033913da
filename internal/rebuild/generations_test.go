package rebuild_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

const topic = "events"

// changed applies changes to a table that has counted a topic in generation 1, and has an owner there.
func changed(t *testing.T, changes ...change) sinks.Table {
	t.Helper()
	table := testworld.Table(t)
	_, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil)
	if err == nil {
		err = sites.Create(t.Context(), table, sinks.Keys{}, sites.Definition{ID: "s", Zone: "UTC", Shards: 1}, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	own(t, table, sinks.Keys{})
	for _, c := range changes {
		if err := c.do(t.Context(), table, look(t, table)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.name == "begin" {
			own(t, table, look(t, table).BuildingKeys())
		}
	}
	return table
}

// own has an owner take the lanes of a generation over, and write stats that expire and stats that do not.
func own(t *testing.T, table sinks.Table, keys sinks.Keys) {
	t.Helper()
	number, err := sinks.EnsureTopic(t.Context(), table, keys, topic)
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range checkpoint.Lanes {
		key := keys.Checkpoint(sinks.TP{Topic: number}, lane)
		if _, err := checkpoint.Acquire(t.Context(), checkpoint.NewClient(table), key, checkpoint.Owner{Name: "member", Group: "g"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, ttl := range []int64{0, time.Now().AddDate(1, 0, 0).Unix()} {
		u := sinks.Update{Key: keys.DayStats("s", day(i)), Set: []sinks.Attr{{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityStats)}}}
		if ttl > 0 {
			u.Set = append(u.Set, sinks.Attr{Name: sinks.AttrTTL, Value: sinks.Int(ttl)})
		}
		if _, err := table.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
}

func day(i int) int64 { return time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).UnixMilli() }

func look(t *testing.T, table sinks.Table) sinks.Generations {
	t.Helper()
	has, err := rebuild.Look(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	return has
}

// state says what the changes of generations leave: the settings, who owns the lanes, and which items are there.
func state(t *testing.T, table sinks.Table) string {
	t.Helper()
	has := look(t, table)
	text := fmt.Sprintf("%+v\n", has)
	for n := 1; n <= has.Last; n++ {
		keys := sinks.KeysOfGeneration(n)
		number, numbered, err := sinks.LoadTopic(t.Context(), table, keys, topic)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("generation %d: numbered %v", n, numbered)
		for _, lane := range checkpoint.Lanes {
			it := testworld.Item(t, table, keys.Checkpoint(sinks.TP{Topic: number}, lane))
			owner, _, _ := strings.Cut(it[checkpoint.AttrOwner].Str(), " ")
			text += fmt.Sprintf(", %s of %q", lane, owner)
		}
		for i := range 2 {
			text += fmt.Sprintf(", stats %v", testworld.Item(t, table, keys.DayStats("s", day(i))) != nil)
		}
		text += "\n"
	}
	return text
}

// change is a command that changes which generations a table has.
type change struct {
	name string
	do   func(context.Context, sinks.Table, sinks.Generations) error
}

var (
	begin = change{"begin", func(ctx context.Context, table sinks.Table, _ sinks.Generations) error {
		_, err := rebuild.Begin(ctx, table, rebuild.Start{})
		return err
	}}
	follow = change{"follow", rebuild.Follow}
	flip   = change{"flip", rebuild.Flip}
	back   = change{"back", rebuild.Back}
	finish = change{"finish", func(ctx context.Context, table sinks.Table, _ sinks.Generations) error {
		return rebuild.Finish(ctx, table)
	}}
	drop = change{"drop", func(ctx context.Context, table sinks.Table, _ sinks.Generations) error {
		_, err := rebuild.Drop(ctx, table)
		return err
	}}
	// unfinished is a flip that was cut short when it was about to fence.
	unfinished = change{"unfinished flip", func(ctx context.Context, table sinks.Table, has sinks.Generations) error {
		if err := rebuild.Flip(ctx, &cut{Table: table, at: 2}, has); !errors.Is(err, errCut) {
			return fmt.Errorf("it was not cut short: %w", err)
		}
		return nil
	}}
)

var errCut = errors.New("cut short")

// cut is a table that ends its user at a request, counted from 1, before it is sent or after.
type cut struct {
	sinks.Table
	at    int64
	after bool
	n     atomic.Int64
}

func around[A any](c *cut, send func() (A, error)) (answer A, err error) {
	n := c.n.Add(1)
	if n > c.at || n == c.at && !c.after {
		return answer, errCut
	}
	if answer, err = send(); n == c.at {
		err = errCut
	}
	return answer, err
}

func (c *cut) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	return around(c, func() (sinks.Result, error) { return c.Table.Update(ctx, u) })
}

func (c *cut) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	return around(c, func() (sinks.Result, error) { return c.Table.Put(ctx, p) })
}

func (c *cut) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	return around(c, func() (sinks.Result, error) { return c.Table.Delete(ctx, d) })
}

func (c *cut) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	return around(c, func() (sinks.BatchResult, error) { return c.Table.BatchGet(ctx, g) })
}

func (c *cut) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	return around(c, func() (sinks.Page, error) { return c.Table.Query(ctx, q) })
}

// TestChangeThatIsCutShortIsFinished: a command that ends at any of its requests, and is repeated, leaves what it leaves otherwise.
func TestChangeThatIsCutShortIsFinished(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []change
		change
		left string // of the former generation's lanes, or of those that are given up
	}{
		{"begin", nil, begin, ""},
		{"follow", []change{begin}, follow, `generation 2: numbered true, stats of "rebuild", realtime of "rebuild"`},
		{"flip", []change{begin, follow}, flip, `generation 1: numbered true, stats of "rebuild", realtime of "rebuild"`},
		{"finish", []change{begin, follow, unfinished}, finish, `generation 1: numbered true, stats of "rebuild", realtime of "rebuild"`},
		{"back", []change{begin, follow, flip}, back, `generation 2: numbered true, stats of "rebuild", realtime of "rebuild"`},
		{"drop building", []change{begin}, drop, `generation 2: numbered true, stats of "", realtime of "", stats false, stats true`},
		{"drop following", []change{begin, follow}, drop, `generation 2: numbered true, stats of "", realtime of "", stats false, stats true`},
		{"drop former", []change{begin, follow, flip}, drop, `generation 1: numbered true, stats of "", realtime of "", stats false, stats true`},
	} {
		t.Run(test.name, func(t *testing.T) {
			table := changed(t, test.before...)
			if err := test.do(t.Context(), table, look(t, table)); err != nil {
				t.Fatal(err)
			}
			want := state(t, table)
			if !strings.Contains(want, test.left) || strings.Contains(want, "Flipped:true") {
				t.Errorf("it leaves\n%swant it to have\n%s", want, test.left)
			}
			for at, more := int64(1), true; more; at++ {
				for _, after := range []bool{false, true} {
					table := changed(t, test.before...)
					has := look(t, table)
					err := test.do(t.Context(), &cut{Table: table, at: at, after: after}, has)
					if more = errors.Is(err, errCut); err != nil && !more {
						t.Fatalf("cut at request %d: %v", at, err)
					}
					if err := test.do(t.Context(), table, has); err != nil && !errors.Is(err, rebuild.ErrChanged) &&
						!strings.Contains(err.Error(), "nothing to drop") {
						t.Errorf("repeated after a cut at request %d: %v", at, err)
					}
					if have := state(t, table); have != want {
						t.Errorf("cut at request %d (after it: %v), and repeated, it leaves\n%swant\n%s", at, after, have, want)
					}
				}
			}
		})
	}
}

// meeting is a table whose user waits, before its first change of the settings, until the other has come as far.
type meeting struct {
	sinks.Table
	once sync.Once
	both *sync.WaitGroup
}

func (m *meeting) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if u.Key == (sinks.Keys{}).TableSettings() {
		m.once.Do(func() {
			m.both.Done()
			m.both.Wait()
		})
	}
	return m.Table.Update(ctx, u)
}

// TestTwoChangesAtOnce: of two commands that have read the same settings, both do the same change, or one is told of the other's.
func TestTwoChangesAtOnce(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []change
		change
	}{
		{"begin", nil, begin}, {"follow", []change{begin}, follow}, {"flip", []change{begin, follow}, flip},
		{"back", []change{begin, follow, flip}, back}, {"drop", []change{begin, follow, flip}, drop},
	} {
		t.Run(test.name, func(t *testing.T) {
			table := changed(t, test.before...)
			if err := test.do(t.Context(), table, look(t, table)); err != nil {
				t.Fatal(err)
			}
			want := state(t, table)

			table = changed(t, test.before...)
			has, both := look(t, table), new(sync.WaitGroup)
			both.Add(2)
			errs := make(chan error, 2)
			for range 2 {
				go func() { errs <- test.do(t.Context(), &meeting{Table: table, both: both}, has) }()
			}
			for range 2 {
				if err := <-errs; err != nil && !errors.Is(err, rebuild.ErrChanged) {
					t.Error(err)
				}
			}
			if have := state(t, table); have != want {
				t.Errorf("two at once leave\n%swant\n%s", have, want)
			}
		})
	}
	t.Run("flip and drop", func(t *testing.T) {
		table := changed(t, begin, follow)
		has, both := look(t, table), new(sync.WaitGroup)
		both.Add(2)
		errs := make(chan error, 2)
		for _, c := range []change{flip, drop} {
			go func() { errs <- c.do(t.Context(), &meeting{Table: table, both: both}, has) }()
		}
		first, second := <-errs, <-errs
		if lost := errors.Join(first, second); (first == nil) == (second == nil) || !errors.Is(lost, rebuild.ErrChanged) {
			t.Errorf("flip and drop at once: %v and %v, want one ErrChanged", first, second)
		}
	})
}

// TestBeginIsRefused: nothing is begun in the first format, beside a former generation, or in a table that nothing has used.
func TestBeginIsRefused(t *testing.T) {
	if _, err := rebuild.Begin(t.Context(), testworld.Table(t), rebuild.Start{}); !errors.Is(err, rebuild.ErrUnused) {
		t.Errorf("Begin in an unused table = %v, want ErrUnused", err)
	}
	first := change{"first format", func(ctx context.Context, table sinks.Table, _ sinks.Generations) error {
		_, err := table.Update(ctx, sinks.Update{Key: sinks.Keys{}.TableSettings(), Remove: []string{sinks.AttrFormat, sinks.AttrRelease}})
		return err
	}}
	fencing := change{"fencing", func(ctx context.Context, table sinks.Table, _ sinks.Generations) error {
		_, err := table.Update(ctx, sinks.Update{Key: sinks.Keys{}.TableSettings(),
			Set: []sinks.Attr{{Name: sinks.AttrFencing, Value: sinks.Int(1)}}})
		return err
	}}
	dropping := change{"dropping", func(ctx context.Context, table sinks.Table, _ sinks.Generations) error {
		_, err := rebuild.Drop(ctx, &cut{Table: table, at: 4})
		if errors.Is(err, errCut) {
			return nil
		}
		return fmt.Errorf("it was not cut short: %w", err)
	}}
	for want, before := range map[string][]change{
		"footfall upgrade finalize first":           {first},
		"finalize was cut short":                    {fencing},
		"generation 1, which was live before":       {begin, follow, flip},
		"generation 1 is being dropped: run footfa": {begin, follow, flip, dropping},
	} {
		table := changed(t, before...)
		was := state(t, table)
		if _, err := rebuild.Begin(t.Context(), table, rebuild.Start{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Begin = %v, want %q", err, want)
		}
		if is := state(t, table); is != was {
			t.Errorf("%s: it has become\n%s", was, is)
		}
	}
}

// TestNoRebuiltOwnerOnceItFollows: an owner that marks its flushes as rebuilt is refused as soon as the generation is about to become live.
func TestNoRebuiltOwnerOnceItFollows(t *testing.T) {
	take := func(table sinks.Table, keys sinks.Keys) error {
		key := keys.Checkpoint(sinks.TP{Topic: 2}, checkpoint.LaneStats)
		_, err := checkpoint.Acquire(t.Context(), checkpoint.NewClient(table), key, checkpoint.Owner{Name: "job", Group: "g", Rebuilt: true})
		return err
	}
	keys := sinks.KeysOfGeneration(2)
	if err := take(changed(t, begin), keys); err != nil {
		t.Errorf("while it counts: %v", err)
	}
	for _, before := range [][]change{{begin, follow}, {begin, follow, flip}} {
		if err := take(changed(t, before...), keys); !errors.Is(err, checkpoint.ErrNoRebuild) {
			t.Errorf("after %s: %v, want ErrNoRebuild", before[len(before)-1].name, err)
		}
	}
	table := changed(t, begin)
	if err := rebuild.Flip(t.Context(), table, look(t, table)); !errors.Is(err, rebuild.ErrChanged) {
		t.Errorf("Flip without Follow = %v, want ErrChanged", err)
	}
}

// TestFormerChainsAreRefused: after the flip no one takes a chain of the former generation over, until it is live again.
func TestFormerChainsAreRefused(t *testing.T) {
	key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
	take := func(table sinks.Table) error {
		_, err := checkpoint.Acquire(t.Context(), checkpoint.NewClient(table), key, checkpoint.Owner{Name: "member", Group: "g"})
		return err
	}
	former, ok := errors.AsType[*sinks.GenerationError](take(changed(t, begin, follow, flip)))
	if !ok || former.Generation != 1 || former.Live != 2 {
		t.Errorf("after the flip: %+v, want a GenerationError of generation 1, where 2 is live", former)
	}
	if err := take(changed(t, begin, follow, flip, back)); err != nil {
		t.Errorf("after going back: %v", err)
	}
}
