package sinktest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// eachVerb calls every verb with a request that is in order.
func eachVerb(ctx context.Context, s Store) map[string]error {
	errs := make(map[string]error)
	_, errs["Update"] = s.Update(ctx, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("n", 1)}})
	_, errs["Put"] = s.Put(ctx, sinks.Put{Item: item(key("n"))})
	_, errs["Delete"] = s.Delete(ctx, sinks.Delete{Key: key("n")})
	_, errs["BatchPut"] = s.BatchPut(ctx, Batch(item(key("n"))))
	_, errs["BatchGet"] = s.BatchGet(ctx, sinks.BatchGet{Keys: []sinks.Key{key("n")}})
	_, errs["Query"] = s.Query(ctx, sinks.Query{PK: "P"})
	return errs
}

func wantNoTable(t *testing.T, s Store) {
	t.Helper()
	errs := eachVerb(t.Context(), s)
	_, errs["Describe"] = s.Describe(t.Context())
	errs["Drop"] = s.Drop(t.Context())
	_, errs["Alter"] = s.Alter(t.Context(), sinks.Change{})
	for verb, err := range errs {
		if !errors.Is(err, sinks.ErrNoTable) || sinks.Retryable(err) {
			t.Errorf("%s without a table = %v, want ErrNoTable", verb, err)
		}
	}
}

var adminBehaviours = []behaviour{
	{name: "NothingWorksWithoutATable", bare: true, check: wantNoTable},
	{name: "CreateMakesAUsableTable", bare: true, check: func(t *testing.T, s Store) {
		if err := s.Create(t.Context(), sinks.Shape{}); err != nil {
			t.Fatalf("Create = %v", err)
		}
		for verb, err := range eachVerb(t.Context(), s) {
			if err != nil {
				t.Errorf("%s right after Create = %v", verb, err)
			}
		}
	}},
	{name: "CreateTwiceKeepsTheItems", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("n", 1))})
		if err := s.Create(t.Context(), sinks.Shape{}); err != nil {
			t.Errorf("second Create = %v", err)
		}
		wantItem(t, "after the second Create", get(t, s, key("n")), item(key("n"), count("n", 1)))
	}},
	{name: "CreateAtOnceMakesOneTable", bare: true, check: func(t *testing.T, s Store) {
		together(4, func(int) {
			if err := s.Create(t.Context(), sinks.Shape{}); err != nil {
				t.Errorf("Create = %v", err)
			}
		})
		for verb, err := range eachVerb(t.Context(), s) {
			if err != nil {
				t.Errorf("%s after Create = %v", verb, err)
			}
		}
	}},
	{name: "CreateOfAnotherShapeSaysWhatDiffers", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("n", 1))})
		before, err := s.Describe(t.Context())
		if err != nil {
			t.Fatalf("Describe = %v", err)
		}
		err = s.Create(t.Context(), sinks.Shape{ReadCapacity: 5, WriteCapacity: 7})
		shape, ok := errors.AsType[*sinks.ShapeError](err)
		if !ok || len(shape.Differences) == 0 || shape.Table != before.Name {
			t.Errorf("Create with capacities = %v, want a *ShapeError about table %s that names a difference", err, before.Name)
		}
		after, err := s.Describe(t.Context())
		if err != nil || after.Billing != before.Billing || after.WriteCapacity != before.WriteCapacity {
			t.Errorf("Describe = %+v, %v, want it as before: %+v", after, err, before)
		}
		wantItem(t, "after the refusal", get(t, s, key("n")), item(key("n"), count("n", 1)))
	}},
	{name: "DescribeSaysWhatTheTableIs", check: func(t *testing.T, s Store) {
		d, err := s.Describe(t.Context())
		if err != nil {
			t.Fatalf("Describe = %v", err)
		}
		if d.Name == "" || d.Kind == "" || d.Status != "ACTIVE" {
			t.Errorf("Describe = name %q, kind %q, status %q, want both named and ACTIVE", d.Name, d.Kind, d.Status)
		}
		if !d.TTL || !slices.Equal(d.Indexes, []string{"GSI1"}) || len(d.Differences) != 0 {
			t.Errorf("Describe = TTL %v, indexes %q, differences %q, want TTL, GSI1 and no difference", d.TTL, d.Indexes, d.Differences)
		}
		if d.ReadCapacity != 0 || d.WriteCapacity != 0 {
			t.Errorf("Describe = capacities %d and %d, want none", d.ReadCapacity, d.WriteCapacity)
		}
	}},
	{name: "AlterOfATableThatIsAsNeededDoesNothing", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("n", 1))})
		for _, dry := range []bool{true, false} {
			if a, err := s.Alter(t.Context(), sinks.Change{Dry: dry}); err != nil || a.Done != nil || a.Without != nil {
				t.Errorf("Alter, dry %v = %+v, %v, want nothing done", dry, a, err)
			}
		}
		wantItem(t, "after Alter", get(t, s, key("n")), item(key("n"), count("n", 1)))
	}},
	{name: "AlterRefusesWhatContradictsItself", check: func(t *testing.T, s Store) {
		if a, err := s.Alter(t.Context(), sinks.Change{OnDemand: true, ReadCapacity: 1, WriteCapacity: 1}); err == nil || a.Done != nil {
			t.Errorf("Alter to both billings = %+v, %v, want an error", a, err)
		}
	}},
	{name: "DropRemovesTheTable", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("n", 1))})
		if err := s.Drop(t.Context()); err != nil {
			t.Fatalf("Drop = %v", err)
		}
		wantNoTable(t, s)
	}},
	{name: "CreateAfterDropBeginsEmpty", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("n", 1))})
		if err := s.Drop(t.Context()); err != nil {
			t.Fatalf("Drop = %v", err)
		}
		if err := s.Create(t.Context(), sinks.Shape{}); err != nil {
			t.Fatalf("Create after Drop = %v", err)
		}
		wantItem(t, "after Drop and Create", get(t, s, key("n")), nil)
		put(t, s, sinks.Put{Item: item(key("n"), count("n", 2))})
		wantItem(t, "written again", get(t, s, key("n")), item(key("n"), count("n", 2)))
	}},
	{name: "ACancelledContextEndsEveryVerb", check: func(t *testing.T, s Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for verb, err := range eachVerb(ctx, s) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s under a cancelled context = %v, want context.Canceled", verb, err)
			}
		}
	}},
}
