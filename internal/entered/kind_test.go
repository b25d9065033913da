package entered_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// A word is what the kind of this test has.
type word struct{ site, id, text string }

var words = entered.Kind[word]{Name: "word", Command: "word", Max: 2, Key: sinks.SegmentKey,
	List: func(site string) (pk, prefix string) { return sinks.Decided(site), sinks.SegmentPrefix },
	Item: func(w word) sinks.Item {
		it := entered.Head(sinks.SegmentKey(w.site, w.id), sinks.EntitySegment, w.site)
		it[sinks.AttrSegment], it[sinks.AttrText] = sinks.Str(w.id), sinks.Str(w.text)
		return it
	},
	Read: func(it sinks.Item) (word, error) {
		w := word{it[sinks.AttrSiteID].Str(), it[sinks.AttrSegment].Str(), it[sinks.AttrText].Str()}
		if w.text == "" {
			return w, errors.New("it is damaged")
		}
		return w, nil
	},
	Differ: func(held, next word) string {
		if held == next {
			return ""
		}
		return "as " + held.text
	},
	Remedy: "choose another"}

func newTable(t *testing.T) sinks.Table {
	t.Helper()
	table := testworld.Table(t)
	for _, site := range []string{"shop", "blog"} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, site); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// One is created once, of a site that is known and has room, and deleted once; other sites are not concerned.
func TestOneIsCreatedAndDeletedOnce(t *testing.T) {
	table, ctx := newTable(t), t.Context()
	create := func(site, id, text, says string) {
		t.Helper()
		held, err := words.Create(ctx, table, site, id, word{site, id, text})
		if says == "" && (err != nil || held != (word{site, id, text})) || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("create %s of %s as %s: %+v, %v; want it to say %q", id, site, text, held, err, says)
		}
	}
	create("shop", "a", "one", "")
	create("shop", "a", "one", "")
	create("shop", "a", "two", `has the word "a" already, as one. Nothing was changed: choose another`)
	create("shop", "b", "one", "")
	create("shop", "c", "one", "has 2 words, which is as many as a site may have: delete some")
	create("shop", "b", "one", "")
	create("blog", "a", "two", "")
	create("nowhere", "a", "one", "is not known")
	if err := words.Delete(ctx, table, "shop", "a"); err != nil {
		t.Fatal(err)
	}
	_, gone := words.Get(ctx, table, "shop", "a")
	for _, err := range []error{gone, words.Delete(ctx, table, "shop", "a")} {
		if _, unknown := errors.AsType[*entered.UnknownError](err); !unknown || !strings.Contains(err.Error(), "`footfall word list`") {
			t.Errorf("one that is gone: %v", err)
		}
	}
	if other, err := words.Get(ctx, table, "blog", "a"); err != nil || other.text != "two" {
		t.Errorf("that of another site: %+v, %v", other, err)
	}
	create("shop", "c", "one", "")
}

// One that is damaged ends a list, but is counted, and can be deleted.
func TestDamagedOnesCanBeDeleted(t *testing.T) {
	table, ctx := newTable(t), t.Context()
	for i, text := range []string{"one", ""} {
		if _, err := words.Create(ctx, table, "shop", fmt.Sprint(i), word{"shop", fmt.Sprint(i), text}); err != nil {
			t.Fatal(err)
		}
	}
	var listed []string
	for w, err := range words.Of(ctx, table, "shop", true) {
		listed = append(listed, fmt.Sprint(w.id, " ", err))
	}
	if got := strings.Join(listed, ", "); got != "0 <nil>, 1 it is damaged" {
		t.Errorf("listed: %s", got)
	}
	_, err := words.Create(ctx, table, "shop", "2", word{"shop", "2", "one"})
	if _, full := errors.AsType[*entered.FullError](err); !full {
		t.Errorf("one more: %v", err)
	}
	if n, err := words.DeleteAll(ctx, table, "shop", nil); n != 2 || err != nil {
		t.Errorf("%d were deleted, %v; want 2", n, err)
	}
}

// Those that are chosen are deleted, of their site alone.
func TestChosenOnesAreDeleted(t *testing.T) {
	table, ctx := newTable(t), t.Context()
	for _, w := range []word{{"shop", "a", "one"}, {"shop", "b", "two"}, {"blog", "a", "one"}} {
		if _, err := words.Create(ctx, table, w.site, w.id, w); err != nil {
			t.Fatal(err)
		}
	}
	chosen := func(it sinks.Item) bool { return it[sinks.AttrText].Str() == "one" }
	for _, want := range []int64{1, 0} {
		if n, err := words.DeleteAll(ctx, table, "shop", chosen); n != want || err != nil {
			t.Errorf("%d were deleted, %v; want %d", n, err, want)
		}
	}
	for _, w := range []word{{"shop", "b", "two"}, {"blog", "a", "one"}} {
		if got, err := words.Get(ctx, table, w.site, w.id); got != w || err != nil {
			t.Errorf("%+v, %v; want %+v, which was not chosen", got, err, w)
		}
	}
}
