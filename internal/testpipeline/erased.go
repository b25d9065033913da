package testpipeline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sketch"
)

// RowsOf returns the rows that only the visitor made, in whatever the table holds of breakdowns of the site: of hours that begin at
// or before until as readers see them, and of days and months that ended by then.
func (w *World) RowsOf(site, visitor string, until int64) (found []string) {
	w.T.Helper()
	hasher, err := sketch.NewHasher(w.Options().HashKey)
	if err != nil {
		w.T.Fatal(err)
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
			w.T.Errorf("%s / %s: %v", it.Key().PK, it.Key().SK, err)
		}
		for _, d := range sketch.Dimensions() {
			for _, r := range b.Rows(d) {
				if r.Visitors.Equal(only) {
					found = append(found, fmt.Sprintf("%s / %s: %s %s", it.Key().PK, it.Key().SK, d, r.Value))
				}
			}
		}
	}
	for pk := range w.breakdownsOf(site) {
		late := new(journal.Journal)
		for _, it := range w.Query(pk, sinks.LatePrefix) {
			e, err := journal.Read(it)
			if err != nil {
				w.T.Fatal(err)
			}
			late.Add(e)
		}
		for _, it := range w.Query(pk, sinks.BreakdownPrefix) {
			name, _, _ := strings.Cut(strings.TrimPrefix(it.Key().SK, sinks.BreakdownPrefix), "#")
			if hour, err := sinks.ParseHour(name); err != nil || hour > until {
				continue
			} else {
				look(it, hour, late)
			}
		}
	}
	for _, it := range w.Query(sinks.Keys{}.BreakdownList(site), "") {
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

// breakdownsOf are the partition keys of a site's breakdowns by hour.
func (w *World) breakdownsOf(site string) map[string]bool {
	keys := make(map[string]bool)
	for _, it := range w.Query(sinks.Keys{}.Site(site), sinks.HourStatsPrefix) {
		hour, err := sinks.ParseHour(strings.TrimPrefix(it.Key().SK, sinks.HourStatsPrefix))
		if err != nil {
			w.T.Fatal(err)
		}
		keys[sinks.Keys{}.BreakdownOfDay(site, hour)] = true
	}
	return keys
}

// Query returns all items of a partition key whose sort keys begin so.
func (w *World) Query(pk, prefix string) (all []sinks.Item) {
	w.T.Helper()
	patient := retry.Policy{Within: testenv.AttemptTimeout}.Reads(w.Table) // A busy machine may not answer in time.
	for it, err := range sinks.Items(w.T.Context(), patient, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}) {
		if err != nil {
			w.T.Fatal(err)
		}
		all = append(all, it)
	}
	return all
}

// EventOf is an event of a visitor, so long after the bubble began.
func EventOf(visitor, session, id string, after time.Duration) Record {
	e := map[string]any{"siteId": "s", "type": "page_view", "timestamp": BubbleStart.Add(after).UnixMilli(), "id": id, "url": "/" + id}
	if visitor != "" {
		e["visitorId"] = visitor
	}
	if session != "" {
		e["sessionId"] = session
	}
	return Record{Key: "s", At: BubbleStart.Add(after), Value: MustJSON(e)}
}

// Erasure are the options that erase a visitor of site s.
func (w *World) Erasure(visitor string) erase.Options {
	return erase.Options{Table: w.Table, HashKey: w.Options().HashKey, Site: "s", Person: sites.Visitor, ID: visitor}
}

// Journaled returns how many journal entries a site has of hours of bubbleStart's date.
func Journaled(w *World, site string) int {
	w.T.Helper()
	page, err := w.Table.Query(w.T.Context(), sinks.Query{PK: sinks.Keys{}.BreakdownOfDay(site, BubbleStart.UnixMilli()),
		Prefix: sinks.LatePrefix})
	if err != nil {
		w.T.Fatal(err)
	}
	return len(page.Items)
}

// VisitTo is a visitor's page view.
func VisitTo(visitor, session, page, id string, at time.Time) Record {
	return Record{Key: "s", At: time.Now(), Value: MustJSON(map[string]any{"siteId": "s", "type": "page_view", "timestamp": at.UnixMilli(),
		"id":  id,
		"url": "https://s.example" + page, "visitorId": visitor, "sessionId": session})}
}

// ItemsWith are all items of breakdowns and journals of the site that have a text, as readers unpack them.
func (w *World) ItemsWith(text string) (found []string) {
	w.T.Helper()
	pks := map[string]bool{sinks.Keys{}.BreakdownList("s"): true}
	for _, it := range w.Query(sinks.Keys{}.Site("s"), sinks.HourStatsPrefix) {
		hour, err := sinks.ParseHour(strings.TrimPrefix(it.Key().SK, sinks.HourStatsPrefix))
		if err != nil {
			w.T.Fatal(err)
		}
		pks[sinks.Keys{}.BreakdownOfDay("s", hour)] = true
	}
	for pk := range pks {
		for _, it := range w.Query(pk, "") {
			var plain []byte
			b := new(sketch.Breakdown)
			logs, err := journal.Unpack(it[sinks.AttrPart].Bytes())
			switch it[sinks.AttrEntity].Str() {
			case sinks.EntityLate:
				for _, l := range logs {
					plain = append(plain, l.Ops...)
				}
			case sinks.EntityBreakdown, sinks.EntitySealedBreakdown:
				if err = sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), b); err == nil {
					for _, d := range sketch.Dimensions() {
						for _, r := range b.Rows(d) {
							plain = append(plain, r.Value...)
						}
					}
				}
				for _, name := range sinks.TopAttrs {
					plain = append(plain, strings.Join(it[name].Strings(), " ")...)
				}
			default:
				continue
			}
			if err != nil {
				w.T.Fatalf("%s / %s: %v", it.Key().PK, it.Key().SK, err)
			}
			if bytes.Contains(plain, []byte(text)) {
				found = append(found, fmt.Sprintf("%s / %s", it.Key().PK, it.Key().SK))
			}
		}
	}
	slices.Sort(found)
	return found
}
