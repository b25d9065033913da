package produce_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/slow"
)

const secret = "sixteen byte key"

// logged is what tests look at of the events of a log.
type logged struct{ VisitorID, SessionID string }

// logLine spells a line of a log.
func logLine(address string, when time.Time, agent string) string {
	return fmt.Sprintf("%s - - [%s] \"GET / HTTP/1.1\" 200 1 \"-\" \"%s\"\n", address, when.Format("02/Jan/2006:15:04:05 -0700"), agent)
}

// readLog makes events of a log's lines, one each.
func readLog(t *testing.T, log string, c produce.AccessLogConfig) []logged {
	t.Helper()
	if c.Set == nil {
		c.Set = []string{"siteId=h"}
	}
	records, refused := readAll(t, strings.NewReader(log), newCombined(t, c))
	if len(refused) > 0 {
		t.Fatalf("refused = %v", refused)
	}
	events := make([]logged, len(records))
	for i, r := range records {
		if err := json.Unmarshal(r.Value, &events[i]); err != nil {
			t.Fatal(err)
		}
	}
	return events
}

func TestSessionsOfALogEndAfterHalfAnHour(t *testing.T) {
	// Each line is a visitor and a time; behind it the visit it belongs to.
	lines := []struct {
		visitor, at string
		visit       int
	}{
		{"a", "2015-05-17T10:00:00Z", 1},
		{"b", "2015-05-17T10:00:01Z", 2}, // another visitor
		{"a", "2015-05-17T10:30:00Z", 1}, // exactly 30 minutes behind
		{"a", "2015-05-17T09:30:00Z", 1}, // exactly 30 minutes before: a step back is no gap
		{"a", "2015-05-17T09:00:00Z", 1}, // from the visit's new beginning
		{"a", "2015-05-17T11:00:01Z", 3},
		{"a", "2015-05-17T10:15:00Z", 1}, // within the first visit still
		{"a", "2015-05-17T10:45:00Z", 3}, // both reach it: the later one
		{"a", "2015-05-17T23:50:00Z", 4},
		{"a", "2015-05-18T00:10:00Z", 4}, // not cut at midnight
		{"a", "2015-05-18T00:40:00Z", 4}, // where the id of half an hour before is today's, too
		{"a", "2015-05-17T23:40:00Z", 4}, // back over midnight
		{"c", "2015-05-18T00:00:00Z", 5},
		{"c", "2015-05-17T23:30:00Z", 5}, // a visit that begins behind midnight and steps back over it
		{"c", "2015-05-17T23:00:00Z", 5},
		{"b", "2015-05-19T00:00:00Z", 6},
		{"b", "2015-05-17T10:00:31Z", 7}, // the first was forgotten: it ended hours before the newest line
	}
	for name, salt := range map[string]produce.Salt{"daily salt": produce.DailySalt, "fixed salt": produce.FixedSalt} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			for _, l := range lines {
				log.WriteString(logLine(l.visitor, instant(t, l.at), "-"))
			}
			events := readLog(t, log.String(), produce.AccessLogConfig{Salt: salt})
			if len(events) != len(lines) {
				t.Fatalf("%d events of %d lines", len(events), len(lines))
			}
			ids := map[int]string{}
			for i, l := range lines {
				session := events[i].SessionID
				if id, ok := ids[l.visit]; ok && id != session {
					t.Errorf("line %d, %s at %s: session %s, want %s", i+1, l.visitor, l.at, session, id)
				}
				ids[l.visit] = session
			}
			distinct := map[string]bool{}
			for _, id := range ids {
				distinct[id] = true
			}
			if len(distinct) != 7 {
				t.Errorf("%d sessions, want 7: %v", len(distinct), ids)
			}
		})
	}
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestDailySaltCutsNoSession: whatever the lines, the sessions are those of a salt for all days. Some visitors are never
// silent for days, as robots are, and the lines step back, some of them by hours.
func TestDailySaltCutsNoSession(t *testing.T) {
	slow.Unraced(t)
	crossings := 0
	seeds := slow.Of(t, 50, 200)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 0))
		now := time.Date(2015, 5, 17, 22, 0, 0, 0, time.UTC)
		var log strings.Builder
		for range 300 {
			now = now.Add(time.Duration(rng.ExpFloat64() * float64(8*time.Minute)))
			back := time.Duration(rng.ExpFloat64() * float64(10*time.Minute))
			if rng.IntN(50) == 0 {
				back = time.Duration(rng.Int64N(int64(6 * time.Hour)))
			}
			log.WriteString(logLine(fmt.Sprintf("192.0.2.%d", rng.IntN(4)*rng.IntN(4)), now.Add(-back), "-"))
		}
		daily := readLog(t, log.String(), produce.AccessLogConfig{Salt: produce.DailySalt})
		fixed := readLog(t, log.String(), produce.AccessLogConfig{Salt: produce.FixedSalt})
		toFixed, toDaily, visitor := map[string]string{}, map[string]string{}, map[string]string{}
		for i, d := range daily {
			f := fixed[i]
			if s, ok := toFixed[d.SessionID]; ok && s != f.SessionID {
				t.Fatalf("seed %d, line %d: sessions %s and %s are one", seed, i+1, s, f.SessionID)
			}
			if s, ok := toDaily[f.SessionID]; ok && s != d.SessionID {
				t.Fatalf("seed %d, line %d: session %s is cut", seed, i+1, f.SessionID)
			}
			if v, ok := visitor[d.SessionID]; ok && v != d.VisitorID {
				crossings++
			}
			toFixed[d.SessionID], toDaily[f.SessionID], visitor[d.SessionID] = f.SessionID, d.SessionID, d.VisitorID
		}
	}
	if crossings < seeds {
		t.Errorf("sessions cross midnight %d times, too few to test it", crossings)
	}
}

// TestVisitOverMidnightKeepsItsPartition: two partitions would count a session each.
func TestVisitOverMidnightKeepsItsPartition(t *testing.T) {
	evening := time.Date(2015, 5, 17, 23, 50, 0, 0, time.UTC)
	for i := range 20 {
		address := fmt.Sprintf("192.0.2.%d", i)
		log := logLine(address, evening, "-") + logLine(address, evening.Add(20*time.Minute), "-")
		records, _ := readAll(t, strings.NewReader(log), newCombined(t, produce.AccessLogConfig{Set: []string{"siteId=h"}, Buckets: 1000}))
		if !bytes.Equal(records[0].Key, records[1].Key) {
			t.Errorf("%s has the keys %s and, behind midnight, %s", address, records[0].Key, records[1].Key)
		}
	}
}

func TestVisitorsOfALogDependOnTheKey(t *testing.T) {
	noon := time.Date(2015, 5, 17, 12, 0, 0, 0, time.UTC)
	visitor := func(address, agent string, when time.Time, c produce.AccessLogConfig) string {
		return readLog(t, logLine(address, when, agent), c)[0].VisitorID
	}
	keyed := produce.AccessLogConfig{HashKey: []byte(secret)}
	first := visitor("1.2.3.4", "ua", noon, keyed)
	if again := visitor("::ffff:1.2.3.4", "ua", noon.Add(11*time.Hour), keyed); again != first {
		t.Errorf("the same visitor in another spelling is %s and %s", first, again)
	}
	seen := map[string]string{first: "first"}
	for name, other := range map[string]string{
		"another address": visitor("1.2.3.5", "ua", noon, keyed), "another agent": visitor("1.2.3.4", "ub", noon, keyed),
		"another day": visitor("1.2.3.4", "ua", noon.Add(24*time.Hour), keyed),
		"another key": visitor("1.2.3.4", "ua", noon, produce.AccessLogConfig{HashKey: []byte("another byte key")}),
		"another site": visitor("1.2.3.4", "ua", noon, produce.AccessLogConfig{HashKey: []byte(secret),
			Set: []string{"siteId=i"}}),
		"a fixed salt": visitor("1.2.3.4", "ua", noon, produce.AccessLogConfig{HashKey: []byte(secret),
			Salt: produce.FixedSalt}),
		"no key":                         visitor("1.2.3.4", "ua", noon, produce.AccessLogConfig{}),
		"no key, in another run":         visitor("1.2.3.4", "ua", noon, produce.AccessLogConfig{}),
		"the same bytes split elsewhere": visitor("1.2.3.4u", "a", noon, keyed),
	} {
		if same, ok := seen[other]; ok {
			t.Errorf("%s: the same visitor as %s", name, same)
		}
		seen[other] = name
	}
}

func TestFixedSaltKeepsVisitorsOverDays(t *testing.T) {
	noon := time.Date(2015, 5, 17, 12, 0, 0, 0, time.UTC)
	log := logLine("1.2.3.4", noon, "ua") + logLine("1.2.3.4", noon.AddDate(1, 0, 0), "ua")
	for salt, same := range map[produce.Salt]bool{produce.FixedSalt: true, produce.DailySalt: false} {
		events := readLog(t, log, produce.AccessLogConfig{Salt: salt})
		if got := events[0].VisitorID == events[1].VisitorID; got != same {
			t.Errorf("salt %d: the visitor is the same a year later: %t, want %t", salt, got, same)
		}
	}
}

// TestNoAddressIsInAnEvent looks for the address of each line of a real log in what is made of the line, as text and,
// since hexadecimal ids might hold it, as its four bytes.
func TestNoAddressIsInAnEvent(t *testing.T) {
	var lines [][]byte
	z, err := gzip.NewReader(realData(t, "access-log/apache_logs.gz", &struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	log, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(log) {
		lines = append(lines, line)
	}
	for name, salt := range map[string]produce.Salt{"daily salt": produce.DailySalt, "fixed salt": produce.FixedSalt} {
		t.Run(name, func(t *testing.T) {
			checked := 0
			f := newCombined(t, produce.AccessLogConfig{Set: []string{"siteId=h"}, HashKey: []byte(secret), Salt: salt, Buckets: 8})
			file, err := produce.NewFile(bytes.NewReader(log), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				r, err := file.Next()
				if err != nil {
					continue // A refused line makes no event.
				}
				address, _, _ := bytes.Cut(line, []byte(" "))
				for _, spelling := range [][]byte{address, hexOfAddress(t, string(address))} {
					if bytes.Contains(r.Value, spelling) || bytes.Contains(r.Key, spelling) {
						t.Errorf("%s is in the event of its line: %s %s", spelling, r.Key, r.Value)
					}
				}
				checked++
			}
			if checked != 9999 {
				t.Errorf("%d events were looked at, want 9,999", checked)
			}
		})
	}
}

func hexOfAddress(t *testing.T, address string) []byte {
	t.Helper()
	a, err := netip.ParseAddr(address)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(hex.EncodeToString(a.AsSlice()))
}

// Lines that come again, as of a log and its copy, make visits of their own where those of the first time are forgotten.
func TestVisitsOfACopy(t *testing.T) {
	var log strings.Builder
	for n := range 24 {
		log.WriteString(logLine("192.0.2.1", instant(t, "2024-05-01T00:00:00Z").Add(time.Duration(n%12)*time.Hour), "agent"))
	}
	ids := make(map[string]bool)
	for _, e := range readLog(t, log.String(), produce.AccessLogConfig{Salt: produce.FixedSalt}) {
		ids[e.SessionID] = true
	}
	// The last lines of the copy join visits that are remembered.
	if n := len(ids); n < 12+7 || n >= 24 {
		t.Errorf("24 visits have %d ids, want 19 or more: those of the copy have others", n)
	}
}
