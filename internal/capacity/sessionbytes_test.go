package capacity

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// sessionReaders says who reads each attribute of a session's item.
var sessionReaders = map[string]string{
	sinks.AttrPK: "every read", sinks.AttrSK: "every read",
	sinks.AttrEntity: "`footfall table`, `verify`", sinks.AttrSchema: "`footfall table`, `verify`",
	sinks.AttrSiteID: "`footfall table`, `verify`", sinks.AttrSessionID: "`query sessions`",
	sinks.AttrVisitorID: "every `query sessions`, `erase`, `verify`", sinks.AttrUserID: "`query sessions`, `erase`",
	sinks.AttrGSI1PK: "`query sessions --user`", sinks.AttrGSI1SK: "`query sessions --user`",
	sinks.AttrCur: "the pipeline, `query`, `erase`, `verify`", sinks.AttrPrev: "a redone flush",
	sinks.AttrTTL: "DynamoDB, `query`",
	"ws1_0":       "the guard of each flush",
}

// TestBytesOfASession writes what each attribute of a session takes, and what its writes cost, into docs/internals/session-bytes.md.
func TestBytesOfASession(t *testing.T) {
	w := DefaultWorkload()
	const events = 3000 // an hour; some of their sessions are written twice
	s := simulate(&w, newTraffic(&w, events, 1), 1, 1, never)
	bytes, entries, entry := make(map[string]int), 0, 0
	sessions, in := 0, 0
	for _, of := range s.items {
		for _, x := range of {
			if !x.made || x.name != itemSession {
				continue
			}
			sessions++
			for name, v := range x.Item {
				bytes[name] += sinks.Item{name: v}.Size()
			}
			if size := consumed.EntrySize(x.Key(), x.index); size > 0 {
				entries++
				entry += size + storedBytes
			}
		}
	}
	mean := func(n int) float64 { return float64(n) / float64(sessions) }
	var rows strings.Builder
	names := slices.SortedFunc(maps.Keys(bytes), func(a, b string) int {
		return cmp.Or(cmp.Compare(bytes[b], bytes[a]), strings.Compare(a, b))
	})
	for _, name := range names {
		reader := sessionReaders[name]
		if reader == "" {
			t.Errorf("nothing is said about who reads %s", name)
		}
		in += bytes[name]
		fmt.Fprintf(&rows, "| `%s` | %.1f | %s |\n", name, mean(bytes[name]), reader)
	}
	fmt.Fprintf(&rows, "| the item | %.1f | |\n| what DynamoDB adds to it | %d | |\n", mean(in), storedBytes)
	fmt.Fprintf(&rows, "| entry in GSI1, of %.0f %% of the sessions | %.1f | `query sessions --user` |\n", 100*mean(entries), mean(entry))
	const file = "../../docs/internals/session-bytes.md"
	if !golden.Updating() && slow.Fewer(t) { // The rest needs two hours of a busy site.
		if doc, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(doc), sessionBytesHead+rows.String()) {
			t.Errorf("%s does not begin with these rows, %v: go test ./internal/capacity -run BytesOfASession -update\n%s", file, err, &rows)
		}
		return
	}
	short, _ := unitsOfSession(t, time.Minute)
	long, hour := unitsOfSession(t, 5*time.Minute)
	listed := (hour.book.of(itemNew).bytes + hour.book.of(itemListed).bytes) / hour.book.of(itemSession).made
	fmt.Fprintf(&rows, "| share of a list by visitor, what DynamoDB adds included | %.1f | `query sessions --visitor` |\n", listed)
	fmt.Fprintf(&rows, "| all that is stored | %.1f | |\n", mean(in+sessions*storedBytes+entry)+listed)
	rows.WriteString(sessionWritesHead)
	for i, name := range sessionWrites {
		fmt.Fprintf(&rows, "| %s | %.3f | %.3f |\n", name, short[i], long[i])
	}
	rows.WriteString(sessionPacksHead + packedSessions(hour))
	golden.Check(t, file, sessionBytesHead+rows.String())
}

// sessionWrites are the writes that a session costs, and their sum.
var sessionWrites = [...]string{"the item, in the first flush with an event of the session", "the item, in later ones",
	"its share of lists by visitor", "its entry in GSI1, once", "in all"}

// unitsOfSession returns the write units of each, if flushes are an interval apart, and the simulation of them.
func unitsOfSession(t *testing.T, interval time.Duration) (units [len(sessionWrites)]float64, s *simulation) {
	w := DefaultWorkload()
	w.Stats, w.Realtime = interval, time.Hour // Sessions are of the stats lane alone.
	const events = 42_000                     // an hour
	s = simulate(&w, newTraffic(&w, events, 1), 1, 1, never)
	f := s.book.of(itemSession)
	if f.writes != f.units[sinks.Base] {
		t.Errorf("%.0f sessions were written %.0f times at %.0f units: want a unit a write", f.made, f.writes, f.units[sinks.Base])
	}
	listed := s.book.of(itemNew).total() + s.book.of(itemListed).total()
	all := f.total() + listed
	for i, n := range [...]float64{f.made, f.writes - f.made, listed, f.units[sinks.GSI1], all} {
		units[i] = n / f.made
	}
	return units, s
}

const sessionPacksHead = `
## In packs

What a session would take in a compressed segment of several, which [packed-sessions.md](packed-sessions.md) studies: its share of the
item, what DynamoDB adds included, and of the units of writing it once.

| sessions a segment | bytes a session | write units a session |
|---|---|---|
`

const sessionWritesHead = `
## Its writes

The write units of a session, on average over those of an hour of a site with 1,000,000 events a day, by the interval of flushes of
` + "`stats`" + `. Events of a session are 40 s apart. An entry of the index is written once: its keys are known with the first user, and never
change. A later write of the item changes no entry. A flush writes some 16 sessions and more into one list by visitor. Its
share of the bytes above is that at flushes every 300 s. An item takes less than 1 KB, so none of its attributes costs a unit of its own.

| write | 60 s | 300 s |
|---|---|---|
`

const sessionBytesHead = `# What a session takes

Generated by ` + "`go test ./internal/capacity -run BytesOfASession -update`" + `: do not edit.

The bytes of each attribute of a session's item, on average over the sessions that ` + "`footfall plan`" + ` simulates by default: three page
views, ids that are UUIDs, a userId in every fifth session, flushes of ` + "`stats`" + ` every 60 s. An attribute takes the bytes of its name and of its
value. An attribute that only some sessions have counts as 0 in the others.

| attribute | bytes | who reads it |
|---|---|---|
`
