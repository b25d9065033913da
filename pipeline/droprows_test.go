package pipeline_test

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sketch"
)

// rowsOf returns the rows that only the visitor made, in whatever the table holds of breakdowns of the site: of hours that begin at
// or before until as readers see them, and of days and months that ended by then.
func (w *world) rowsOf(site, visitor string, until int64) (found []string) {
	w.t.Helper()
	hasher, err := sketch.NewHasher(w.options().HashKey)
	if err != nil {
		w.t.Fatal(err)
	}
	only := sketch.NewRow()
	only.Add(hasher.Visitor('v', []byte(visitor)))
	look := func(it sinks.Item, hour int64, late *journal.Journal) {
		b := new(sketch.Breakdown)
		err := sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), b)
		if err == nil && late != nil {
			err = late.ApplyTo(b, it, hour)
		}
		if err != nil {
			w.t.Errorf("%s / %s: %v", it.Key().PK, it.Key().SK, err)
		}
		for _, d := range sketch.Dimensions() {
			for _, r := range b.Rows(d) {
				if r.Visitors.Equal(only) {
					found = append(found, fmt.Sprintf("%s / %s: %s %s", it.Key().PK, it.Key().SK, d, r.Value))
				}
			}
		}
	}
	dates := make(map[string]bool)
	for _, it := range w.query(sinks.Keys{}.Site(site), sinks.HourStatsPrefix) {
		hour, err := sinks.ParseHour(strings.TrimPrefix(it.Key().SK, sinks.HourStatsPrefix))
		if err != nil {
			w.t.Fatal(err)
		}
		dates[sinks.Keys{}.BreakdownOfDay(site, hour)] = true
	}
	for pk := range dates {
		late := new(journal.Journal)
		for _, it := range w.query(pk, sinks.LatePrefix) {
			e, err := journal.Read(it)
			if err != nil {
				w.t.Fatal(err)
			}
			late.Add(e)
		}
		for _, it := range w.query(pk, sinks.BreakdownPrefix) {
			name, _, _ := strings.Cut(strings.TrimPrefix(it.Key().SK, sinks.BreakdownPrefix), "#")
			if hour, err := sinks.ParseHour(name); err != nil || hour > until {
				continue
			} else {
				look(it, hour, late)
			}
		}
	}
	for _, it := range w.query(sinks.Keys{}.BreakdownList(site), "") {
		_, name, _ := strings.Cut(it.Key().SK, "#")
		day, err := sinks.ParseDay(name)
		if month, notDay := sinks.ParseMonth(name); notDay == nil {
			day, err = sinks.LastDay(month), nil
		}
		if it[sinks.AttrEntity].Str() == sinks.EntitySealedBreakdown && err == nil && day+24*3_600_000 <= until {
			look(it, 0, nil)
		}
	}
	return found
}

// query returns all items of a partition key whose sort keys begin so.
func (w *world) query(pk, prefix string) (all []sinks.Item) {
	w.t.Helper()
	patient := retry.Policy{Within: testenv.AttemptTimeout}.Reads(w.table) // A busy machine may not answer in time.
	for it, err := range sinks.Items(w.t.Context(), patient, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, it)
	}
	return all
}
