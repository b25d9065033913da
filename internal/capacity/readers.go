package capacity

import (
	"fmt"
	"io"
	"math"

	"github.com/footfall/footfall/sinks/consumed"
)

// Readers are what views of a dashboard read. A view asks for the last 24 hours of a site as footfall query does by default: the figures
// by hour, the first pages, referrers and countries, and the current visitors.
type Readers struct {
	UnitsAView float64 `json:"readUnitsPerView"` // of a site with the mean of all events; eventual reads
	ViewsADay  float64 `json:"viewsPerDay"`
	Units      float64 `json:"readUnitsPerDay"`
	Dollars    float64 `json:"dollarsPerMonth"`
}

// viewTops is how many dimensions a view shows.
const viewTops = 3

// readers says what views cost. day is what all sites write in a day.
func (w *Workload) readers(day book, p Prices) Readers {
	r := Readers{ViewsADay: w.ViewsPerDay, UnitsAView: w.viewUnits(day)}
	r.Units = r.ViewsADay * r.UnitsAView
	r.Dollars = monthDays * r.Units * p.ReadMillion / 1e6
	return r
}

// viewUnits are the read units of a view. A range of 24 hours has parts of two days, whose uniques and breakdowns have a key each.
func (w *Workload) viewUnits(day book) float64 {
	of := func(item string, share float64) float64 {
		f := day[item]
		if f == nil {
			return consumed.ReadUnits(0, false)
		}
		bytes := (f.bytes - f.made*storedBytes) / float64(w.Sites) * share
		return consumed.ReadUnits(int(math.Round(bytes)), false)
	}
	const settings = 2 // The site's entry and metadata, strongly.
	hours, late := of(itemHour, 1), 2*of(itemJournal, 0.5)
	stats := settings + hours + late + 2*of(itemUniques, 0.5)
	top := 0.0
	if w.Settings.Breakdowns > 0 {
		top = settings + hours + late + 2*of(itemBreakdown, 0.5)
	}
	const realtime = 12.0 / (24 * 60) // minutes that are kept
	return stats + viewTops*top + of(itemRealtime, realtime)
}

func (r *Readers) print(out io.Writer) {
	if r == nil {
		return
	}
	fmt.Fprintf(out, "A view of a dashboard takes %.1f read units: 24 hours of a mean site, three dimensions, current visitors.", r.UnitsAView)
	if r.ViewsADay > 0 {
		fmt.Fprintf(out, " %s views a day: %s read units, %.2f dollars a month more.", count(r.ViewsADay), count(r.Units), r.Dollars)
	}
	fmt.Fprintln(out)
}
