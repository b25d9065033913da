package sites_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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

// For all zones, and whether they change at a midnight or not, hours and days tile time, dates ascend, and the day of a name begins
// where it does.
func TestBucketsTileTimeOverChangesOfZones(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	names := []string{"Europe/London", "Africa/Lagos", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Auckland",
		"America/Santiago", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"}
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for range 60 {
		rules := new(sites.Rules)
		from, to := int64(0), first
		for range 1 + dice.IntN(8) {
			rules.Zones = append(rules.Zones, sites.Zone{From: from, Name: names[dice.IntN(len(names))]})
			from = to + dice.Int64N(1+int64([]time.Duration{time.Hour, 40 * time.Hour, 2000 * time.Hour}[dice.IntN(3)]/time.Millisecond))
			to = from
		}
		s, err := sites.ParseRules(rules.String())
		if err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		for at := first - 3*24*3600_000; at < to+5*24*3600_000; {
			name, begin, end := s.Day(at)
			if begin != at && last != 0 || end <= at || name <= last {
				t.Fatalf("%s: the day of %v is %v, [%v, %v), after %v", rules, ms(at), ms(name), ms(begin), ms(end), ms(last))
			}
			if got := s.Begin(name); got != begin {
				t.Fatalf("%s: the day %v begins at %v, want %v", rules, ms(name), ms(got), ms(begin))
			}
			for range 5 {
				in := begin + dice.Int64N(end-begin)
				if n, b, e := s.Day(in); n != name || b != begin || e != end {
					t.Fatalf("%s: %v is in the day %v, [%v, %v), want %v, [%v, %v)", rules, ms(in), ms(n), ms(b), ms(e), ms(name), ms(begin), ms(end))
				}
				if hour, hourEnd := s.Zone(in).Hour(in); hour > in || hourEnd <= in || hour < begin || hourEnd > end {
					t.Fatalf("%s: the hour of %v is [%v, %v), not within its day", rules, ms(in), ms(hour), ms(hourEnd))
				}
			}
			last, at = name, end
		}
	}
}

func ms(at int64) time.Time { return time.UnixMilli(at).UTC() }

// TestDayThatRunsAtAChangeOfZone: it ends there, or continues until the new zone's date is greater.
func TestDayThatRunsAtAChangeOfZone(t *testing.T) {
	for _, c := range []struct {
		old, new, at string
		days         []string // name and hours of those from the one before the change on
	}{
		{"Europe/Berlin", "Asia/Kolkata", "2026-12-09T18:30:00Z", []string{"2026-12-09 19.5", "2026-12-10 24"}},
		{"Asia/Kolkata", "Europe/Berlin", "2026-12-09T23:00:00Z", []string{"2026-12-10 28.5", "2026-12-11 24"}},
		{"America/New_York", "Pacific/Auckland", "2026-12-09T11:00:00Z", []string{"2026-12-09 6", "2026-12-10 24"}},
		{"Pacific/Auckland", "Pacific/Honolulu", "2026-12-10T10:00:00Z", []string{"2026-12-10 47", "2026-12-11 24"}},
		{"Pacific/Kiritimati", "Pacific/Honolulu", "2026-12-10T10:00:00Z", []string{"2026-12-10 48", "2026-12-11 24"}},
		{"Pacific/Kiritimati", "Pacific/Pago_Pago", "2026-12-10T11:00:00Z", []string{"2026-12-11 49", "2026-12-12 24"}},
		{"Pacific/Pago_Pago", "Pacific/Kiritimati", "2026-12-10T10:00:00Z", []string{"2026-12-09 23", "2026-12-11 24"}},
		{"UTC", "Europe/London", "2026-12-10T00:00:00Z", []string{"2026-12-09 24", "2026-12-10 24"}},
		{"UTC", "Europe/London", "2026-10-24T23:00:00Z", []string{"2026-10-24 23", "2026-10-25 25"}},
	} {
		at := instant(t, c.at).UnixMilli()
		s, err := sites.ParseRules(fmt.Sprintf(`{"zones":[{"zone":%q},{"from":%d,"zone":%q}]}`, c.old, at, c.new))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for in := at - 1; len(got) < 2; {
			name, from, to := s.Day(in)
			got = append(got, fmt.Sprint(ms(name).Format(time.DateOnly), " ", time.Duration(to-from).Hours()*1e6))
			in = to
		}
		if !slices.Equal(got, c.days) {
			t.Errorf("%s to %s at %s: days %q, want %q", c.old, c.new, c.at, got, c.days)
		}
	}
}
