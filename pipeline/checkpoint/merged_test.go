package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/event"
)

// history is one of a chain with an item a day, at ten positions each, up to now.
func history(now time.Time, days int) (list []History) {
	for n := range days {
		s := DefaultSettings()
		s.NotAfter = NotAfter(now.AddDate(0, 0, n-days+1))
		list = append(list, History{Step: int64(n + 1), From: int64(10 * n), Ver: s.String(), Rev: int64(n / 5), TopicID: topicOfTest})
	}
	return list
}

const topicOfTest = "000102030405060708090a0b0c0d0e0f"

// TestHistoryIsMergedOnceItIsNotNeeded: items go whose records the topic has lost and that are old enough, unless something was decided.
func TestHistoryIsMergedOnceItIsNotNeeded(t *testing.T) {
	now := time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what   string
		change func(list []History)
		days   int
		start  int64
		want   string
	}{
		{"all of it is in the topic", nil, 100, 5, "[]"},
		{"the topic has the last days", nil, 100, 950, "[{1 580 [2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 " +
			"25 26 27 28 29 30 31 " +
			"32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58]}]"},
		{"it is young", nil, 41, 400, "[]"},
		{"the topic has most", nil, 100, 95, "[{1 70 [2 3 4 5 6 7]}]"},
		{"other settings", func(l []History) {
			s, _ := ParseValues(l[3].Ver)
			s.LateMs++
			for i := 3; i < len(l); i++ {
				s.NotAfter = RecordedNotAfter(l[i].Ver)
				l[i].Ver = s.String()
			}
		}, 100, 95, "[{1 30 [2 3]} {4 70 [5 6 7]}]"},
		{"a gap", func(l []History) { l[3].Gap = &Gap{} }, 100, 95, "[{1 30 [2 3]} {4 70 [5 6 7]}]"},
		{"skipped positions", func(l []History) { l[3].Forgot = &Forgotten{} }, 100, 95, "[{1 30 [2 3]} {4 70 [5 6 7]}]"},
		{"another topic", func(l []History) { l[0].TopicID = "ff" + topicOfTest[2:] }, 100, 95, "[{2 70 [3 4 5 6 7]}]"},
		{"another base", func(l []History) { l[0].Base = 3 }, 100, 95, "[{2 70 [3 4 5 6 7]}]"},
		{"settings that cannot be read", func(l []History) { l[2].Ver = "?" }, 100, 95, "[{1 20 [2]} {4 70 [5 6 7]}]"},
	} {
		list := history(now, c.days)
		if c.change != nil {
			c.change(list)
		}
		if got := fmt.Sprint(MergesOf(list, c.start, now)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestMergedItemsSayNothing: of records below what was merged it is not known under which rules they were judged.
func TestMergedItemsSayNothing(t *testing.T) {
	list := history(time.Now(), 100)
	m := MergesOf(list, 950, time.Now())[0]
	list[0].Merged = m.To
	list = slices.DeleteFunc(list, func(h History) bool { return slices.Contains(m.Steps, h.Step) })
	head := Head{Step: 101, From: 1000, To: 1010, Done: true, Ver: list[len(list)-1].Ver, TopicID: topicOfTest}
	state := ChainState{Head: head, History: list}
	id := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	of := func(offset int64) (Held, error) { return state.HeldOf(event.Source{TopicID: id, Offset: offset}, id) }
	if _, err := of(m.To - 1); !errors.Is(err, ErrUntold) {
		t.Errorf("a record of a merged item: %v, want %v", err, ErrUntold)
	}
	if held, err := of(m.To); err != nil || held.Rev != 58/5 {
		t.Errorf("the first record after it: revision %d, %v", held.Rev, err)
	}
}
