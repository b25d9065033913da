package sites_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

var (
	keys sinks.Keys
	now  = time.Date(2026, 5, 12, 14, 35, 20, 0, time.UTC)
)

func newTable(t *testing.T) sinks.Table {
	t.Helper()
	table := testworld.Table(t)
	return table
}

func read(t *testing.T, table sinks.Table, known *sites.Log) *sites.Log {
	t.Helper()
	log, err := sites.ReadLog(t.Context(), table, keys, known)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// change is a decision of today.
func change(site string, s *sites.Rules) sites.Revision {
	return sites.Revision{At: now.UnixMilli(), Site: site, Rules: s}
}

// TestEveryWriterAppendsOnce has writers append at once: revisions follow one another, and none is lost or replaced.
func TestEveryWriterAppendsOnce(t *testing.T) {
	const writers, each = 6, 5
	table := newTable(t)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			var log *sites.Log
			for n := 0; n < each; {
				var err error
				if log, err = sites.ReadLog(t.Context(), table, keys, log); err != nil {
					t.Error(err)
					return
				}
				site := fmt.Sprint("site-", i)
				s := log.At(log.Rev()).Site(site).Clone()
				s.Name += "x"
				switch log, err = sites.AppendLog(t.Context(), table, keys, log, change(site, s)); {
				case err == nil:
					n++
				case !errors.Is(err, sites.ErrBehind):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	log := read(t, table, nil)
	if log.Rev() != int64(writers*each) {
		t.Errorf("%d revisions, want %d", log.Rev(), writers*each)
	}
	for i := range writers {
		history := log.History(fmt.Sprint("site-", i))
		for n, c := range history {
			if c.Rules.Name != strings.Repeat("x", n+1) {
				t.Errorf("site %d: revision %d of it, %d, says %q", i, n+1, c.Rev, c.Rules.Name)
			}
		}
		if len(history) != each {
			t.Errorf("site %d has %d revisions, want %d", i, len(history), each)
		}
	}
}

func TestViewsDoNotChange(t *testing.T) {
	table := newTable(t)
	var log *sites.Log
	var views []sites.View
	for i := range 4 {
		views = append(views, log.At(log.Rev()))
		var err error
		if log, err = sites.AppendLog(t.Context(), table, keys, log, change(fmt.Sprint("site-", i%2),
			&sites.Rules{Name: fmt.Sprint(i)})); err != nil {
			t.Fatal(err)
		}
	}
	again := read(t, table, nil)
	if log.Rev() != again.Rev() || read(t, table, again) != again {
		t.Errorf("the log is read again as %d revisions of %d, or anew where nothing was appended", again.Rev(), log.Rev())
	}
	for i, v := range views {
		for site := range 2 {
			id, want := fmt.Sprint("site-", site), ""
			for n := range i {
				if n%2 == site {
					want = fmt.Sprint(n)
				}
			}
			for _, s := range []*sites.Rules{v.Site(id), again.At(int64(i)).Site(id)} {
				if want == "" && s != nil || want != "" && s.Name != want {
					t.Errorf("revision %d of %s: %+v, want %q", i, id, s, want)
				}
			}
		}
	}
}

func TestMissingRevisionIsAnError(t *testing.T) {
	table := newTable(t)
	var log *sites.Log
	for i := range 3 {
		var err error
		if log, err = sites.AppendLog(t.Context(), table, keys, log, change("s", &sites.Rules{Name: fmt.Sprint(i)})); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := table.Delete(t.Context(), sinks.Delete{Key: keys.Rules(2)}); err != nil {
		t.Fatal(err)
	}
	if log, err := sites.ReadLog(t.Context(), table, keys, nil); err == nil || !strings.Contains(err.Error(), "revision 2") {
		t.Errorf("Read = %d revisions, %v; want an error that names the second", log.Rev(), err)
	}
}

// lost is a table whose puts are done and not answered.
type lost struct{ sinks.Table }

func (l lost) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	_, err := l.Table.Put(ctx, p)
	return sinks.Result{}, errors.Join(err, sinks.ErrUnknownOutcome)
}

func TestLostAnswerIsRecognisedByRepeating(t *testing.T) {
	table := newTable(t)
	s := &sites.Rules{Name: "x"}
	if _, err := sites.AppendLog(t.Context(), lost{table}, keys, nil, change("s", s)); !errors.Is(err, sinks.ErrUnknownOutcome) {
		t.Fatalf("Append = %v", err)
	}
	if log, err := sites.AppendLog(t.Context(), table, keys, nil, change("s", s)); err != nil || log.Rev() != 1 {
		t.Errorf("the second Append = %v, want it recognised", err)
	}
	if _, err := sites.AppendLog(t.Context(), table, keys, nil, change("s", &sites.Rules{Name: "y"})); !errors.Is(err, sites.ErrBehind) {
		t.Errorf("another's Append = %v, want ErrBehind", err)
	}
}

func TestOlderViewsDoNotReplaceNewerOnes(t *testing.T) {
	table := newTable(t)
	for _, rev := range []int64{2, 1, 2} {
		if err := sites.Publish(t.Context(), table, keys, sites.Revision{Rev: rev, Site: "s",
			Rules: &sites.Rules{Name: fmt.Sprint(rev)}}); err != nil {
			t.Fatal(err)
		}
		key := keys.Metadata("s")
		r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
		if err != nil || r.Items[key][sinks.AttrName].Str() != "2" {
			t.Errorf("after revision %d the metadata is %v, %v", rev, r.Items[key], err)
		}
	}
}

func TestRulesThatAreNotUnderstoodAreAnError(t *testing.T) {
	for _, text := range []string{"", "{", `{"zones":[{"from":0,"zone":"Mars/Olympus"}]}`, `{"shards":"many"}`} {
		if s, err := sites.ParseRules(text); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", text, s)
		}
	}
}

func TestShardsHoldFromADay(t *testing.T) {
	day := int64(86_400_000)
	s := &sites.Rules{Shards: []sites.Shards{{From: 0, N: 4}, {From: 10 * day, N: 32}, {From: 20 * day, N: 8}}}
	for at, want := range map[int64]int{0: 4, 10*day - 1: 4, 10 * day: 32, 20*day - 1: 32, 20 * day: 8} {
		if got := s.ShardsAt(at); got != want {
			t.Errorf("%d shards at %d, want %d", got, at, want)
		}
	}
	for span, want := range map[[2]int64]string{{0, day}: "[4]", {0, 11 * day}: "[4 32]", {0, 30 * day}: "[4 8 32]",
		{20 * day, 21 * day}: "[8]",
		{5 * day, 10 * day}:  "[4]"} {
		if got := fmt.Sprint(s.ShardsIn(span[0], span[1])); got != want {
			t.Errorf("shards in %v: %s, want %s", span, got, want)
		}
	}
	var none *sites.Rules
	if none.ShardsAt(5) != sinks.DefaultShards || fmt.Sprint(none.ShardsIn(0, day)) != "[16]" || none.Zone(5).Loc != time.UTC ||
		none.DaysOf("x", 7) != 7 {
		t.Error("a site without rules has not the defaults")
	}
}

// Whatever the zones and from when, hours and days tile time, and the day of a name begins where it does.
func TestBucketsTileTimeOverChangesOfZones(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	midnight := func(s string) int64 {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return at.UnixMilli()
	}
	s, err := sites.ParseRules((&sites.Rules{Zones: []sites.Zone{{From: 0, Name: "Europe/London"}, {From: midnight("2026-06-01T23:00:00Z"),
		Name: "Africa/Lagos"},
		{From: midnight("2026-11-30T23:00:00Z"), Name: "Europe/Berlin"}}}).String())
	if err != nil {
		t.Fatal(err)
	}
	from, to := midnight("2026-03-01T00:00:00Z"), midnight("2027-06-01T00:00:00Z")
	for range 300 {
		at := from + dice.Int64N(to-from)
		name, begin, end := s.Zone(at).Day(at)
		if next, nextBegin, _ := s.Zone(end).Day(end); nextBegin != end || next <= name {
			t.Fatalf("the day of %v ends at %v, the next begins at %v", time.UnixMilli(at).UTC(), time.UnixMilli(end).UTC(),
				time.UnixMilli(nextBegin).UTC())
		}
		if got := s.Begin(name); got != begin {
			t.Fatalf("the day %v begins at %v, want %v", time.UnixMilli(name).UTC(), time.UnixMilli(got).UTC(), time.UnixMilli(begin).UTC())
		}
		if hour, hourEnd := s.Zone(at).Hour(at); hour > at || hourEnd <= at || hour < begin || hourEnd > end {
			t.Fatalf("the hour of %v is [%v, %v), not within its day", time.UnixMilli(at).UTC(), time.UnixMilli(hour).UTC(),
				time.UnixMilli(hourEnd).UTC())
		}
	}
}
