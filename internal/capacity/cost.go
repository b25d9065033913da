package capacity

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Spent is what a process reports of the units that its sites have consumed: in the last window that is over, or in the
// first while it lasts.
type Spent struct {
	From  time.Time   `json:"from"`
	To    time.Time   `json:"to"`
	Sites []SiteSpent `json:"sites"`
	// What sites that are not listed have consumed together.
	Others SiteSpent `json:"others"`
	// What one of them has consumed at most, as write units. A listed site may have consumed so much more than its row says.
	Floor float64 `json:"floorWriteUnits"`
}

// SiteSpent is what the items of a site have consumed: at least so much. What it has consumed before it had a row is in the others.
type SiteSpent struct {
	Site       string      `json:"site"` // "": items of the table itself, such as checkpoints
	WriteUnits float64     `json:"writeUnits"`
	ReadUnits  float64     `json:"readUnits"`
	Events     int64       `json:"events"` // that hours have counted, bots and excluded pages among them
	Kinds      []KindSpent `json:"kinds"`
}

// KindSpent is what the items of a kind have consumed.
type KindSpent struct {
	Kind       string  `json:"kind"` // as in the metrics' label
	WriteUnits float64 `json:"writeUnits"`
	ReadUnits  float64 `json:"readUnits"`
}

// siteOf is the name under which an item's units are counted; "" for items of the table itself.
func siteOf(key sinks.Key) string {
	site, _ := sinks.SiteOf(key)
	return site
}

// addRead counts units that were read of an item, or of a range of items.
func (h *Heat) addRead(key sinks.Key, units float64) {
	n := uint64(math.Round(2 * units)) // An eventually consistent read of 4 KB has half a unit.
	if n == 0 {
		return
	}
	site, kind := siteOf(key), kindOf(key)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn(h.now())
	h.window.sites.of(site).reading(kind, n)
}

// Spent returns the units by site and kind.
func (h *Heat) Spent() Spent {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.over()
	s := Spent{From: w.from.UTC(), To: w.to.UTC(), Sites: []SiteSpent{}, Others: w.sites.others.spent(),
		Floor: float64(w.sites.floor) / writeCost}
	for _, a := range w.sites.order {
		s.Sites = append(s.Sites, a.spent())
	}
	slices.SortFunc(s.Sites, func(a, b SiteSpent) int { return cmp.Compare(a.Site, b.Site) })
	return s
}

func (a *account) spent() SiteSpent {
	s := SiteSpent{Site: a.site, Events: a.events, Kinds: []KindSpent{}}
	for i, kind := range kinds {
		if a.written[i]+a.read[i] > 0 {
			k := KindSpent{kind, float64(a.written[i]), float64(a.read[i]) / 2}
			s.Kinds = append(s.Kinds, k)
			s.WriteUnits += k.WriteUnits
			s.ReadUnits += k.ReadUnits
		}
	}
	return s
}

func (w watched) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := w.Table.Query(ctx, q)
	w.heat.addRead(sinks.Key{PK: q.PK, SK: cmp.Or(q.Prefix, q.From)}, page.Units)
	return page, err
}

// BatchGet shares the units of a batch out evenly among the items that were read: the answer has their sum alone.
func (w watched) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := w.Table.BatchGet(ctx, g)
	if n := len(g.Keys) - len(r.Left); n > 0 && r.Units > 0 {
		left := make(map[sinks.Key]bool, len(r.Left))
		for _, k := range r.Left {
			left[k] = true
		}
		for _, k := range g.Keys {
			if !left[k] {
				w.heat.addRead(k, r.Units/float64(n))
			}
		}
	}
	return r, err
}
