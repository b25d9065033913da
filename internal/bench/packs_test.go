package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// packedSettings are the default settings but for raw events, which are packed.
func packedSettings() checkpoint.Settings {
	s := checkpoint.DefaultSettings()
	s.RawPacked = true
	return s
}

// replayBound is how many times the read units of a session replay from items one from packs may take.
const replayBound = 4

// TestUnitsOfASessionReplay compares the read units of session replays from packs with those from items: a million events a day of one
// site.
func TestUnitsOfASessionReplay(t *testing.T) {
	slow.Test(t)
	units := make(map[bool]float64)
	for _, settings := range []checkpoint.Settings{checkpoint.DefaultSettings(), packedSettings()} {
		l := load{sites: 1, partitions: 1, hourly: 1_000_000 / 24, script: readers, think: 40 * time.Second, settings: settings}
		l.then = func(table sinks.Table) { units[settings.RawPacked] = replayUnits(t, table) }
		traffic := newTraffic(l, loadStart)
		simulate(t, l, func() *kgo.Record { return traffic.next("events") }, 2*time.Minute, 8*time.Minute, nil)
	}
	fmt.Fprintf(t.Output(), "read units of a session replay: %.2f from items, %.2f from packs\n", units[false], units[true])
	if units[true] > replayBound*units[false] {
		t.Errorf("%.2f read units of a session replay from packs, %.2f from items: want at most %d times as many", units[true], units[false],
			replayBound)
	}
}

// replayUnits returns the read units of a replay, on average over sessions that began some minutes ago.
func replayUnits(t *testing.T, table sinks.Table) float64 {
	t.Helper()
	counted := &readUnits{Table: table}
	r := query.New(counted, time.Now)
	found, err := r.Sessions(context.Background(), query.SessionsParams{Site: "site-0", From: bubbleStart,
		To: time.Now().Add(-5 * time.Minute), Paging: query.Paging{Limit: 50, Desc: true}})
	if err != nil || len(found.Sessions) < 50 {
		t.Errorf("%d sessions: %v", len(found.Sessions), err)
		return 0
	}
	counted.units = 0
	for _, s := range found.Sessions {
		a, err := r.Events(context.Background(), query.EventsParams{Site: "site-0", Session: s.SessionID, Paging: query.Paging{Limit: 100}})
		if err != nil || int64(len(a.Events)) != s.Events {
			t.Errorf("session %s: %d events, want %d: %v", s.SessionID, len(a.Events), s.Events, err)
		}
	}
	return counted.units / float64(len(found.Sessions))
}

// readUnits counts the read units of a table.
type readUnits struct {
	sinks.Table
	units float64
}

func (r *readUnits) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := r.Table.Query(ctx, q)
	r.units += page.Units
	return page, err
}

func (r *readUnits) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	answer, err := r.Table.BatchGet(ctx, g)
	r.units += answer.Units
	return answer, err
}
