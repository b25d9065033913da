package capacity

import "math"

// span is some hours of a day that are alike.
type span struct {
	hours   int
	hour    book // of all sites
	busiest book // of the busiest site alone
	early   []Early
}

// day is the day in six spans of four hours, those that are alike together, the busiest first.
func (w *Workload) day() []span {
	levels := dayLevels(w.Peak)
	if w.Peak == 1 {
		levels = []level{{24, 1.0 / 24}}
	}
	var day []span
	for _, l := range levels {
		all, busiest, early := w.hour(w.EventsPerDay * l.hourly)
		day = append(day, span{l.hours, all, busiest, early})
	}
	return day
}

// level is a span's hours, and what each of them has of the day's events.
type level struct {
	hours  int
	hourly float64
}

// dayLevels are those of a day, given the busiest over the mean: the first of six spans of four hours is the busiest, and the
// others lie beside it two by two.
func dayLevels(peak float64) []level {
	s := dayShares(peak)
	return []level{{4, s[0] / 4}, {8, s[1] / 4}, {8, s[2] / 4}, {4, s[3] / 4}}
}

// dayShares are what the first four of six spans have of the day's events, given the busiest over the mean. Their
// logarithms are a cosine, so that a high peak leaves something for the night.
func dayShares(peak float64) (shares [4]float64) {
	least, most := 0.0, 100.0
	for range 60 { // Bisection: the share of the busiest grows with k.
		k := (least + most) / 2
		if shares = cosineShares(k); 6*shares[0] < peak {
			least = k
		} else {
			most = k
		}
	}
	return shares
}

func cosineShares(k float64) (shares [4]float64) {
	sum := 0.0
	for i := range 6 {
		x := math.Exp(k * (math.Cos(float64(i)*math.Pi/3) - 1))
		sum += x
		if i < len(shares) {
			shares[i] = x
		}
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// hour is an hour with a number of events: of all sites, of the busiest, and which of its flushes end early.
func (w *Workload) hour(events float64) (all, busiest book, early []Early) {
	all = make(book)
	rates, sites := []float64{events / float64(w.Sites)}, []float64{float64(w.Sites)}
	if w.Largest > 0 {
		rates, sites = []float64{events * w.Largest}, []float64{1}
		if others := float64(w.Sites - 1); others > 0 && w.Largest < 1 {
			rates, sites = append(rates, events*(1-w.Largest)/others), append(sites, others)
		}
	}
	books, common, early := w.under(rates, sites)
	for i := range books {
		all.add(books[i], sites[i])
	}
	w.checkpoints(all, events, common)
	return all, books[0], early
}

// under rehearses an hour of the busiest site and one of each other, as flushes end in their partitions. common are the ends in most
// partitions, early those of the partitions that have the busiest site.
func (w *Workload) under(rates, sites []float64) (books []book, common ends, early []Early) {
	var drawn []rehearsal
	as := func(i int) *Workload {
		if i == 0 {
			return w.busiest()
		}
		return w
	}
	for i, rate := range rates {
		drawn = append(drawn, as(i).rehearse(rate, never))
	}
	for i := range rates {
		var grown growths // of a partition that has the site
		for other := range rates {
			n := sites[other] * float64(as(other).spread()) / float64(w.Partitions) // of the partitions that a site's events lie in
			if i == other {
				n = max(1, n)
			}
			grown.add(&drawn[other].growths, n)
		}
		e := w.ends(&grown)
		if len(e.early) > 0 || e.calm {
			drawn[i] = as(i).rehearse(rates[i], e)
		}
		if i == 0 {
			early = e.early
		}
		books, common = append(books, drawn[i].book), e
	}
	return books, common, early
}
