package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// TestErasuresOfOneSessionByTwoIds: a person who is erased as a visitor and as a user loses their sessions to the erasure that is
// done first, also where the other is not continued; and a session has the revision that steps erased it under.
func TestErasuresOfOneSessionByTwoIds(t *testing.T) {
	t.Parallel()
	for _, first := range []sites.Person{sites.User, sites.Visitor} {
		for _, unswept := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s first, cut short %v", first, unswept), func(t *testing.T) {
				inWorld(t, 1, func(t *testing.T, w *world) {
					w.RareFetches(5 * time.Second)
					both := eventOf("gone", "a", "1", 0)
					both.Value = bytes.Replace(both.Value, []byte(`{`), []byte(`{"userId":"u-1",`), 1)
					w.Folded(w.Options(), []record{both, eventOf("", "a", "2", time.Second)})
					one, other := w.Erasure("gone"), w.Erasure("gone")
					if first == sites.User {
						one.Person, one.ID = sites.User, "u-1"
					} else {
						other.Person, other.ID = sites.User, "u-1"
					}
					one.NoWait = true
					if unswept {
						cut := &firstSweepFails{Table: w.Table}
						one.Table = cut
						if _, err := erase.Run(t.Context(), one); !errors.Is(err, errKilled) {
							t.Fatalf("Run = %v, want the kill", err)
						}
					} else if report, err := erase.Run(t.Context(), one); err != nil || report.State != erase.Swept {
						t.Fatalf("%+v, %v", report, err)
					}
					other.Skip = []string{testTopic + "/0"}
					if report, err := erase.Run(t.Context(), other); err != nil || !report.Over() || report.Revision != 2 {
						t.Fatalf("%+v, %v: want the second erasure to be done", report, err)
					}
					it := shownOf(w.Item(sinks.Keys{}.Session("s", "a", sinks.TP{Topic: 1}, sinks.DefaultShards)))
					if have := it[sinks.AttrErased].Int(); have != 1 {
						t.Errorf("the session is erased by revision %d, want 1, the first that holds for it", have)
					}
					for _, name := range []string{sinks.AttrSessionID, sinks.AttrEntryPage, sinks.AttrExitPage, sinks.AttrUserID} {
						if it[name].Kind() != sinks.None {
							t.Errorf("the session keeps its %s", name)
						}
					}
					w.Recounted()
				})
			})
		}
	}
}

// firstSweepFails is a table whose reader ends before it has read any shard of a site.
type firstSweepFails struct{ sinks.Table }

func (f *firstSweepFails) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if strings.Contains(q.PK, "#SHARD#") {
		return sinks.Page{}, errKilled
	}
	return f.Table.Query(ctx, q)
}

// TestErasureShowsGoalsOfACreationThatWasCutShort: who finds a site's metadata up to date looks for no goals that are not.
func TestErasureShowsGoalsOfACreationThatWasCutShort(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), []record{eventOf("gone", "a", "1", 0)})
		log, err := sites.ReadLog(t.Context(), w.Table, sinks.Keys{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &sites.Rules{CreatedAt: 1}
		if err := s.AddGoal(sites.Goal{ID: "long", DurationMs: 1000}); err != nil {
			t.Fatal(err)
		}
		if _, err := sites.AppendLog(t.Context(), w.Table, sinks.Keys{}, log, sites.Revision{Site: "s", Rules: s}); err != nil {
			t.Fatal(err)
		}
		o := w.Erasure("gone")
		o.NoWait = true
		if _, err := erase.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if w.Item(sinks.Keys{}.Goal("s", "long")) == nil {
			t.Error("the site's metadata is of the tombstone's revision, and its goal is not to be seen")
		}
		w.Recounted()
	})
}
