package sinktest

import (
	"errors"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// filled makes an item of so many bytes, in strings alone: their size is their bytes, without rounding.
func filled(k sinks.Key, size int) sinks.Item {
	it := item(k, attr("filler", sinks.Str("")))
	it["filler"] = sinks.Str(strings.Repeat("x", size-it.Size()))
	return it
}

// badKeys are keys that no store takes.
var badKeys = map[string]sinks.Key{
	"empty partition key":    {PK: "", SK: "s"},
	"empty sort key":         {PK: "p", SK: ""},
	"partition key too long": {PK: strings.Repeat("p", sinks.MaxPartitionKey+1), SK: "s"},
	"sort key too long":      {PK: "p", SK: strings.Repeat("s", sinks.MaxSortKey+1)},
}

var limitBehaviours = []behaviour{
	{name: "KeysReachTheirLimits", check: func(t *testing.T, s Store) {
		k := sinks.Key{PK: strings.Repeat("é", sinks.MaxPartitionKey/2), SK: strings.Repeat("é", sinks.MaxSortKey/2)}
		put(t, s, sinks.Put{Item: item(k, count("n", 1))})
		update(t, s, sinks.Update{Key: k, Add: []sinks.Attr{count("n", 1)}})
		wantItem(t, "at the limits", get(t, s, k), item(k, count("n", 2)))
		wantKeys(t, s, sinks.Query{PK: k.PK, Consistent: true}, k.SK)

		i := item(key("indexed"))
		i[sinks.AttrGSI1PK], i[sinks.AttrGSI1SK] = sinks.Str(k.PK), sinks.Str(k.SK)
		put(t, s, sinks.Put{Item: i})
		wantKeys(t, s, sinks.Query{Index: sinks.GSI1, PK: k.PK}, "indexed")
	}},
	{name: "KeysBeyondTheirLimitsAreRefused", check: func(t *testing.T, s Store) {
		refused := func(name, verb string, err error) {
			if err == nil || sinks.Retryable(err) {
				t.Errorf("%s: %s = %v, want an error that repeating does not cure", name, verb, err)
			}
		}
		for name, k := range badKeys {
			ctx := t.Context()
			_, err := s.Put(ctx, sinks.Put{Item: item(k)})
			refused(name, "Put", err)
			_, err = s.Update(ctx, sinks.Update{Key: k, Add: []sinks.Attr{count("n", 1)}})
			refused(name, "Update", err)
			_, err = s.Delete(ctx, sinks.Delete{Key: k})
			refused(name, "Delete", err)
			_, err = s.BatchPut(ctx, Batch(item(key("good")), item(k)))
			refused(name, "BatchPut", err)
			_, err = s.BatchGet(ctx, sinks.BatchGet{Keys: []sinks.Key{key("good"), k}, Consistent: true})
			refused(name, "BatchGet", err)
		}
		wantItem(t, "the other item of the batch", get(t, s, key("good")), nil)
	}},
	{name: "AnItemWithoutItsKeyIsRefused", check: func(t *testing.T, s Store) {
		for _, it := range []sinks.Item{
			{sinks.AttrPK: sinks.Str("p"), "a": sinks.Int(1)},
			{sinks.AttrSK: sinks.Str("s"), "a": sinks.Int(1)},
			{sinks.AttrPK: sinks.Int(1), sinks.AttrSK: sinks.Str("s")},
		} {
			if _, err := s.Put(t.Context(), sinks.Put{Item: it}); err == nil {
				t.Errorf("Put of %s succeeded, want an error", spell(it))
			}
		}
	}},
	{name: "IndexKeysMustBeStringsThatAreNotEmpty", check: func(t *testing.T, s Store) {
		for _, name := range []string{sinks.AttrGSI1PK, sinks.AttrGSI1SK} {
			for _, v := range []sinks.Value{sinks.Str(""), sinks.Int(5), sinks.Bytes([]byte("b"))} {
				if _, err := s.Put(t.Context(), sinks.Put{Item: item(key("n"), attr(name, v))}); err == nil {
					t.Errorf("Put with %s = %+v succeeded, want an error", name, v)
				}
				if _, err := s.Update(t.Context(), sinks.Update{Key: key("n"), Set: []sinks.Attr{attr(name, v)}}); err == nil {
					t.Errorf("Update with %s = %+v succeeded, want an error", name, v)
				}
			}
		}
		wantItem(t, "after the errors", get(t, s, key("n")), nil)
	}},
	{name: "NumbersBeyond38DigitsAreRefused", check: func(t *testing.T, s Store) {
		for _, digits := range []string{"170141183460469231731687303715884105727", "-100000000000000000000000000000000000001"} {
			n := number(t, digits)
			if _, err := s.Put(t.Context(), sinks.Put{Item: item(key("n"), attr("n", n))}); err == nil {
				t.Errorf("Put of the number %s succeeded, want an error", digits)
			}
			if _, err := s.Update(t.Context(), sinks.Update{Key: key("n"), Set: []sinks.Attr{attr("n", n)}}); err == nil {
				t.Errorf("SET to the number %s succeeded, want an error", digits)
			}
		}
		wantItem(t, "after the errors", get(t, s, key("n")), nil)
	}},
	{name: "PutTakes400KB", check: func(t *testing.T, s Store) {
		want := filled(key("n"), sinks.MaxItemBytes)
		put(t, s, sinks.Put{Item: want})
		wantItem(t, "stored", get(t, s, key("n")), want)
	}},
	{name: "PutRefusesMoreThan400KB", check: func(t *testing.T, s Store) {
		before := item(key("n"), count("n", 1))
		put(t, s, sinks.Put{Item: before})
		_, err := s.Put(t.Context(), sinks.Put{Item: filled(key("n"), sinks.MaxItemBytes+1)})
		if !errors.Is(err, sinks.ErrTooLarge) || sinks.Retryable(err) {
			t.Errorf("Put of 400 KB and a byte = %v, want ErrTooLarge", err)
		}
		wantItem(t, "after the error", get(t, s, key("n")), before)
	}},
	{name: "UpdateGrowsAnItemTo400KB", check: func(t *testing.T, s Store) {
		growth := attr("w", sinks.Str("1234567"))
		whole := filled(key("n"), sinks.MaxItemBytes-8)
		put(t, s, sinks.Put{Item: whole})
		r := update(t, s, sinks.Update{Key: key("n"), Set: []sinks.Attr{growth}})
		if r.Units < 400 {
			t.Errorf("Update of an item of 400 KB consumed %v units, want 400 at least", r.Units)
		}
		whole["w"] = growth.Value
		wantItem(t, "at 400 KB", get(t, s, key("n")), whole)
	}},
	{name: "UpdateRefusesToGrowAnItemBeyond400KB", check: func(t *testing.T, s Store) {
		whole := filled(key("n"), sinks.MaxItemBytes-8)
		put(t, s, sinks.Put{Item: whole})
		_, err := s.Update(t.Context(), sinks.Update{Key: key("n"), Set: []sinks.Attr{attr("w", sinks.Str("12345678"))}})
		if !errors.Is(err, sinks.ErrTooLarge) || sinks.Retryable(err) {
			t.Errorf("Update to 400 KB and a byte = %v, want ErrTooLarge", err)
		}
		wantItem(t, "after the error", get(t, s, key("n")), whole)
	}},
	{name: "UpdateThatIsTooLargeByItselfIsRefused", check: func(t *testing.T, s Store) {
		_, err := s.Update(t.Context(), sinks.Update{Key: key("n"),
			Set: []sinks.Attr{attr("b", sinks.Bytes(make([]byte, sinks.MaxItemBytes)))}})
		if !errors.Is(err, sinks.ErrTooLarge) || sinks.Retryable(err) {
			t.Errorf("Update with 400 KB = %v, want ErrTooLarge", err)
		}
		wantItem(t, "after the error", get(t, s, key("n")), nil)
	}},
}
