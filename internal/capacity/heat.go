package capacity

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Heat counts, for one process, the write units of the partition keys that it writes most. It is bounded: 2,048 rows by
// Space-Saving (sketch.Top), some 300 KB, for the window that runs and as much for the one before. Units by site and kind are counted
// beside them in a ledger of as many sites, some 900 KB for each window. A request costs a lock and a look into tables; records and
// folds cost nothing. Safe for concurrent use.
//
// Keys of items are not counted, only those of partitions: the limit is theirs, and they name sites and no visitors.
type Heat struct {
	now func() time.Time

	mu     sync.Mutex // covers all below
	last   window
	window window
}

const (
	heatRows = 2048
	// heatWindow has at least one step of a lane in it whose interval is five minutes, and five of one at the default.
	heatWindow = 5 * time.Minute
)

// window is what was written and read in a span of time.
type window struct {
	from, to time.Time   // to is zero while it lasts
	keys     *sketch.Top // write units by partition key
	sites    *ledger
}

func newWindow(from time.Time) window {
	return window{from: from, keys: sketch.NewTop(heatRows), sites: newLedger(heatRows)}
}

// NewHeat begins to count. now tells windows apart; nil: time.Now.
func NewHeat(now func() time.Time) *Heat {
	if now == nil {
		now = time.Now
	}
	return &Heat{now: now, window: newWindow(now())}
}

// Watch returns a table that passes everything on and counts what is written through it.
func (h *Heat) Watch(t sinks.Table) sinks.Table {
	w := watched{t, h}
	if s, ok := t.(sinks.Sweeper); ok {
		return struct {
			watched
			sinks.Sweeper
		}{w, s}
	}
	return w
}

// turn begins another window when the one that runs is over. After a pause the last one is longer than others.
func (h *Heat) turn(now time.Time) {
	if now.Sub(h.window.from) >= heatWindow {
		h.last, h.window = h.window, newWindow(now)
		h.last.to = now
	}
}

// add counts units that were written to an item.
func (h *Heat) add(key sinks.Key, units float64) { h.addEvents(key, units, 0) }

// addEvents counts units that were written to an item, and events that it counts from now on.
func (h *Heat) addEvents(key sinks.Key, units float64, events int64) {
	n := uint64(math.Round(units)) // Writes have whole units.
	if n == 0 && events == 0 {
		return
	}
	site, kind := siteOf(key), kindOf(key)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn(h.now())
	h.window.keys.AddTimes(key.PK, n)
	a := h.window.sites.of(site)
	a.write(kind, n)
	a.events += events
}

// over returns the last window that is over, or the first while it lasts. h.mu is held.
func (h *Heat) over() window {
	now := h.now()
	h.turn(now)
	w := h.last
	if w.keys == nil {
		w = h.window
		w.to = now
	}
	return w
}

// Hot is what a process tells of its heat: of the last window that is over, or of the first while it goes on.
type Hot struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Units uint64    `json:"units"` // written in all
	Floor uint64    `json:"floor"` // a key that is not among Keys has so many at most
	Keys  []HotKey  `json:"keys"`  // the hottest first
}

// A HotKey is a partition key and the write units that a process has written under it: at least Units, and at most Error more.
type HotKey struct {
	PK    string `json:"pk"`
	Units uint64 `json:"units"`
	Error uint64 `json:"error"`
}

// Snapshot returns the heat.
func (h *Heat) Snapshot() Hot {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.over()
	hot := Hot{From: w.from.UTC(), To: w.to.UTC(), Units: w.keys.Other(), Floor: w.keys.Floor(), Keys: []HotKey{}}
	for _, row := range w.keys.Rows() {
		hot.Units += row.Count
		hot.Keys = append(hot.Keys, HotKey{row.Value, row.Count, row.Error})
	}
	return hot
}

// watched counts writes that were answered.
type watched struct {
	sinks.Table
	heat *Heat
}

// Unwrap returns the table that answers.
func (w watched) Unwrap() sinks.Table { return w.Table }

func (w watched) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r, err := w.Table.Update(ctx, u)
	events := int64(0)
	if err == nil && !r.Refused && strings.HasPrefix(u.Key.SK, sinks.HourStatsPrefix) {
		events = counted(&u)
	}
	w.heat.addEvents(u.Key, r.Units, events)
	return r, err
}

func (w watched) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r, err := w.Table.Put(ctx, p)
	w.heat.add(p.Item.Key(), r.Units)
	return r, err
}

func (w watched) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	r, err := w.Table.Delete(ctx, d)
	w.heat.add(d.Key, r.Units)
	return r, err
}

// BatchPut shares the units of a batch out among the items that were taken: nobody tells which has consumed how many.
func (w watched) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	r, err := w.Table.BatchPut(ctx, items)
	left := make(map[sinks.Key]bool, len(r.Left))
	for _, k := range r.Left {
		left[k] = true
	}
	taken := len(items) - len(left)
	given := 0.0
	for _, it := range items {
		if taken == 0 || len(left) > 0 && left[it.Key()] {
			continue
		}
		share := math.Round((r.Units - given) / float64(taken))
		given += share
		taken--
		w.heat.add(it.Key(), share)
	}
	return r, err
}
