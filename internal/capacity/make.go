package capacity

// Make plans for a workload, which must be valid. It takes up to some seconds.
func Make(w Workload, p Prices) Plan {
	plan := Plan{Workload: &w, Items: []Item{}, Duplicates: w.window(), Packed: w.packed(), Notes: w.notes()}
	all := make(book)
	var hours []Rates
	for i, span := range w.day() {
		all.add(span.hour, float64(span.hours))
		for range span.hours {
			hours = append(hours, ratesOf(span.hour))
		}
		if i == 0 {
			plan.Peak = hours[0]
			plan.Limits = w.limits(span.busiest, plan.Peak)
			plan.Limits.Early = append(plan.Limits.Early, span.early...)
			members := w.members(span.hour, w.EventsPerDay*dayLevels(w.Peak)[0].hourly, plan.Limits)
			plan.Members = &members
		}
	}
	plan.Limits.Mean = meanOf(hours)
	plan.Packed.fewer(&w, w.busiestHourly(), plan.Limits.ShardsNeeded)
	all.add(w.daily(all), 1)
	for _, item := range items {
		if f := all[item]; f != nil && (f.writes > 0 || f.made > 0) {
			plan.add(itemOf(item, f, w.kept(item)))
		}
	}
	plan.Dollars = p.dollars(plan.Total, hours)
	plan.priceItems(p, w.EventsPerDay)
	readers := w.readers(all, p)
	plan.Readers = &readers
	return plan
}
