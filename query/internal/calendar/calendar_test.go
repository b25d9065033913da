package calendar

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/ranges"
)

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := ranges.ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestDaysBeginWhenClocksReachThem(t *testing.T) {
	for _, c := range []struct{ name, zone, date, begin, end string }{
		{"a day of UTC", "UTC", "2026-03-29", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z"},
		{"a day of 23 hours", "Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"a day of 25 hours", "Europe/Berlin", "2025-10-26", "2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z"},
		{"midnight is skipped", "Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},
		{"midnight is skipped west of Greenwich", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		{"clocks are set back from midnight", "Africa/Cairo", "2025-10-30", "2025-10-29T21:00:00Z", "2025-10-30T22:00:00Z"},
		{"clocks are set back from midnight west of Greenwich", "America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z",
			"2018-02-18T03:00:00Z"},
		{"midnight comes twice", "America/Havana", "2025-11-02", "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"},
		{"midnight comes twice east of Greenwich", "Asia/Amman", "2021-10-29", "2021-10-28T21:00:00Z", "2021-10-29T22:00:00Z"},
		{"clocks are set back over midnight", "America/Goose_Bay", "2010-11-07", "2010-11-07T03:00:00Z", "2010-11-08T04:00:00Z"},
		{"the day before a date that is skipped", "Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
		{"a date that is skipped", "Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},
		{"half an hour of summer", "Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cal := Calendar{By: ranges.Day, Loc: zoneOf(t, c.zone)}
			date, err := time.Parse(time.DateOnly, c.date)
			if err != nil {
				t.Fatal(err)
			}
			b := cal.At(DayNumber(date))
			if from, to := Instant(b.From).Format(time.RFC3339), Instant(b.To).Format(time.RFC3339); from != c.begin || to != c.end {
				t.Errorf("%s in %s is [%s, %s), want [%s, %s)", c.date, c.zone, from, to, c.begin, c.end)
			}
		})
	}
}

// label names the bucket that an instant lies in by what clocks and calendars on the wall show.
func label(by ranges.By, at time.Time) string {
	switch by {
	case ranges.Hour:
		return at.Format("2006-01-02T15 -0700")
	case ranges.Week:
		y, w := at.ISOWeek()
		return fmt.Sprintf("%d-W%02d", y, w)
	case ranges.Month:
		return at.Format("2006-01")
	case ranges.Year:
		return at.Format("2006")
	}
	return at.Format(time.DateOnly)
}

func TestBucketsFollowOneAnother(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Sao_Paulo", "America/Havana",
		"Africa/Cairo", "Asia/Amman", "Asia/Kolkata", "Pacific/Apia", "Pacific/Kiritimati", "Antarctica/Troll", "Australia/Lord_Howe",
		"Pacific/Kwajalein", "America/Goose_Bay"} {
		for _, by := range []ranges.By{ranges.Hour, ranges.Day, ranges.Week, ranges.Month, ranges.Year} {
			cal := Calendar{By: by, Loc: zoneOf(t, name)}
			for range 300 {
				at := random.Int64N(time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
				b := cal.Bucket(at)
				if next := cal.At(b.N + 1); !b.Has(at) || next.From != b.To || next.To < next.From {
					t.Fatalf("%s by %s: bucket %d of %s is [%s, %s), the next begins at %s", name, by, b.N, Instant(at), Instant(b.From),
						Instant(b.To), Instant(next.From))
				}
				if name == "America/Goose_Bay" {
					continue // Its clocks were set back over midnight, so that dates came twice.
				}
				want := label(by, cal.Instant(at))
				for _, in := range []int64{b.From, b.To - 1} {
					if got := label(by, cal.Instant(in)); got != want {
						t.Fatalf("%s by %s: bucket of %s has something of %s", name, by, want, got)
					}
				}
				for _, out := range []int64{b.From - 1, b.To} {
					if got := label(by, cal.Instant(out)); got == want {
						t.Fatalf("%s by %s: bucket of %s ends at %s, within", name, by, want, Instant(out))
					}
				}
			}
		}
	}
}

func TestFirstAndLastBuckets(t *testing.T) {
	for _, name := range []string{"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		for _, by := range []ranges.By{ranges.Hour, ranges.Day, ranges.Week, ranges.Month, ranges.Year} {
			cal := Calendar{By: by, Loc: zoneOf(t, name)}
			s := cal.Widen(Span{0, LastInstant.UnixMilli()})
			first, last := cal.Bucket(s.From), cal.Bucket(s.To-1)
			if s.From != 0 || s.To != cal.Last() || last.To != s.To {
				t.Errorf("%s by %s: all times are [%d, %d), the last bucket ends at %d; want [0, %d)", name, by, s.From, s.To, last.To, cal.Last())
			}
			for _, ms := range []int64{first.From, last.From, last.To} {
				if _, err := cal.Instant(ms).MarshalJSON(); err != nil {
					t.Errorf("%s by %s: %v", name, by, err)
				}
			}
		}
	}
}

func TestSizeFollowsTheRange(t *testing.T) {
	for _, c := range []struct {
		zone, from string
		length     time.Duration
		want       ranges.By
	}{
		{"UTC", "2026-05-12T14:35:20Z", 48 * time.Hour, ranges.Hour},
		{"UTC", "2026-05-12T14:35:20Z", 48*time.Hour + 1, ranges.Hour}, // A millisecond is the least that counts.
		{"UTC", "2026-05-12T14:35:20Z", 48*time.Hour + time.Millisecond, ranges.Day},
		{"UTC", "2026-05-12T00:00:00Z", 90 * 24 * time.Hour, ranges.Day},
		{"UTC", "2026-05-12T00:00:00Z", 91 * 24 * time.Hour, ranges.Month},
		{"Europe/Berlin", "2025-10-24T22:00:00Z", 49 * time.Hour, ranges.Hour}, // Two days, one of 25 hours.
		{"Europe/Berlin", "2025-10-23T22:00:00Z", 49 * time.Hour, ranges.Day},
		{"Europe/Berlin", "2026-03-28T00:00:00Z", 48 * time.Hour, ranges.Hour},
	} {
		from, err := time.Parse(time.RFC3339, c.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := SizeFor(Span{from.UnixMilli(), from.Add(c.length).UnixMilli()}, zoneOf(t, c.zone), ""); got != c.want {
			t.Errorf("%v from %s on in %s: by %s, want %s", c.length, c.from, c.zone, got, c.want)
		}
	}
}

func TestBoundsThatAreNoFullHours(t *testing.T) {
	for _, c := range []struct {
		zone, from, to string
		by             ranges.By
		want           bool
	}{
		{"Asia/Kolkata", "2026-05-01", "2026-05-03", ranges.Day, true},
		{"Asia/Kolkata", "2026-05-01", "2026-05-03", ranges.Hour, true},
		{"Asia/Kathmandu", "2026-01-01", "2027-01-01", ranges.Year, true},
		{"Europe/Berlin", "1970-01-02", "2030-01-01", ranges.Day, false},
		{"Australia/Lord_Howe", "2026-01-01", "2026-04-05", ranges.Day, false}, // Summer: 11 hours.
		{"Australia/Lord_Howe", "2026-04-04", "2026-04-06", ranges.Day, true},  // Winter, from its second day on: 10 and a half.
		{"Australia/Lord_Howe", "2026-01-01", "2026-06-01", ranges.Month, true},
		{"Australia/Lord_Howe", "2025-01-01", "2027-01-01", ranges.Year, false}, // New year is in summer.
		{"Asia/Singapore", "1990-01-01", "2026-01-01", ranges.Day, false},
		{"Asia/Singapore", "1980-01-01", "2026-01-01", ranges.Year, true},
	} {
		cal := Calendar{By: c.by, Loc: zoneOf(t, c.zone)}
		var ends [2]int64
		for i, date := range []string{c.from, c.to} {
			at, err := DatingIn(time.Time{}, cal.Loc).Parse(date)
			if err != nil {
				t.Fatal(err)
			}
			ends[i] = at.UnixMilli()
		}
		if at, got := (Clock{}).OffHour(cal, Span{ends[0], ends[1]}); got != c.want || got && c.by != ranges.Hour && at%HourMs == 0 {
			t.Errorf("%s from %s to %s by %s: off a full hour %v (at %s), want %v", c.zone, c.from, c.to, c.by, got, Instant(at), c.want)
		}
	}
}

// eachBound is offHour, bound by bound.
func eachBound(k Clock, c Calendar, s Span) (int64, bool) {
	for at := s.From; at < s.To; at = c.Bucket(at).To {
		if k.Hour(at).From != at {
			return at, true
		}
	}
	return s.To, s.To != c.Last() && k.Hour(s.To).From != s.To
}

func TestBoundsAreFoundAsIfEachWereTried(t *testing.T) {
	from, to := time.Date(1979, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(1997, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	zones := []string{"UTC", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Australia/Adelaide", "Asia/Singapore", "Asia/Colombo",
		"Europe/London"}
	refused, answered := 0, 0
	for i, site := range zones {
		// The site changes to another zone, and back: at no midnight even.
		ruled, err := sites.ParseRules(fmt.Sprintf(`{"zones":[{"zone":%q},{"from":%d,"zone":%q},{"from":%d,"zone":%q}]}`, site,
			from+3*DayMs/7, zones[(i+1)%len(zones)], from+3000*DayMs+5, site))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Clock{{ruled}, {&sites.Rules{Zones: ruled.Zones[:1]}}} {
			for _, zone := range zones {
				for _, by := range []ranges.By{ranges.Hour, ranges.Day, ranges.Week, ranges.Month, ranges.Year} {
					c := Calendar{By: by, Loc: zoneOf(t, zone)}
					for n, s := range []Span{{from, from + 40*DayMs}, {from + 1000*DayMs, from + 1300*DayMs}, {from + 2990*DayMs, from + 3020*DayMs},
						{from, to}} {
						if by == ranges.Hour && n == 3 {
							continue // It is long to try each hour of.
						}
						s = c.Widen(s)
						if by == ranges.Hour {
							if _, uneven := c.uneven(s); uneven {
								continue
							}
						}
						wantAt, want := eachBound(k, c, s)
						if at, got := k.OffHour(c, s); at != wantAt || got != want {
							t.Fatalf("site of %s, %s by %s, range %d: %v at %s; want %v at %s", site, zone, by, n, got, Instant(at), want, Instant(wantAt))
						}
						if want {
							refused++
						} else {
							answered++
						}
					}
				}
			}
		}
	}
	if refused < 100 || answered < 100 {
		t.Errorf("%d ranges are refused and %d answered: the test has lost its point", refused, answered)
	}
}
