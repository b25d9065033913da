package testpipeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// Decide appends a revision of the rules of a site, and publishes it.
func (w *World) Decide(site string, s *sites.Rules) {
	w.T.Helper()
	log, err := sites.ReadLog(w.T.Context(), w.Table, sinks.Keys{}, nil)
	if err == nil {
		log, err = sites.AppendLog(w.T.Context(), w.Table, sinks.Keys{}, log, sites.Revision{At: time.Now().UnixMilli(), Site: site, Rules: s})
	}
	if err == nil {
		err = sites.PublishSite(w.T.Context(), w.Table, sinks.Keys{}, site, log.History(site))
	}
	if err != nil {
		w.T.Fatal(err)
	}
}

// ClickAt is a click at site s of a session.
func ClickAt(session string, when time.Time) Record {
	return Record{Key: "s", At: when, Value: fmt.Appendf(nil, `{"siteId":"s","type":"click","timestamp":%d,"sessionId":%q}`, when.UnixMilli(),
		session)}
}

// Stats reads a counter of a bucket of site s.
func (w *World) Stats(key sinks.Key, attr string) int64 { return w.Item(key)[attr].Int() }

// Exact fails the test unless the recount agrees.
func (w *World) Exact(o pipeline.Options) {
	w.T.Helper()
	if report, err := w.Verify(o); err != nil || report.DifferenceCount > 0 || report.ComparedCount == 0 {
		w.T.Errorf("verify: %v, %v", err, report.Differences)
	}
}

// InZone are options of a process whose configuration names a zone for new sites.
func InZone(o pipeline.Options, zone string) pipeline.Options {
	o.SiteZone = zone
	return o
}

// DayEvents is how many events the site s has in the day of that date.
func (w *World) DayEvents(t *testing.T, date string) int64 {
	t.Helper()
	day, err := sinks.ParseDay(date)
	if err != nil {
		t.Fatal(err)
	}
	return w.Stats(sinks.Keys{}.DayStats("s", day), sinks.AttrEvents)
}
