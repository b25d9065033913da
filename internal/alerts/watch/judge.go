package watch

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/query"
)

// judgeSite judges an hour of a site by each of its alerts that has not fired in the last QuietHours. It keeps what they find, and queues
// it for webhooks. It may be repeated: a finding is kept and queued once.
func (w *Watcher) judgeSite(ctx context.Context, site string, of []alerts.Alert, hour int64) error {
	ctx = query.OfOneGeneration(ctx) // The alerts are judged under the same settings, which are read once.
	zone, err := w.counts.zone(ctx, site, hour)
	if err != nil {
		return err
	}
	hour = over(hour, zone)
	quiet := make(map[string]bool)
	for f, err := range w.store.Findings(ctx, site, hour-alerts.QuietHours, hour) {
		if err != nil {
			return err
		}
		quiet[f.Alert] = true
	}
	for _, a := range of {
		if quiet[a.ID] {
			continue
		}
		found, err := w.counts.Judge(ctx, site, a.Rule, hour)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		f := alerts.Finding{Site: site, Alert: a.ID, Hour: hour, Begin: beginOf(hour, zone), When: a.Rule.String(), Found: found,
			JudgedAt: w.Now().UTC(), Delivery: alerts.Delivery{State: alerts.NoHook}}
		if a.Webhook != "" {
			f.Delivery.State = alerts.Pending
		}
		ours, err := w.store.Keep(ctx, f)
		if err != nil {
			w.queued = false // It may be kept all the same: then it is pending.
			return err
		}
		w.Log.Info("an alert fired", "site", site, "alert", a.ID, "hour", f.Start())
		if ours && a.Webhook != "" {
			w.sender.add(f)
		}
	}
	return nil
}

// over returns the last hour of the site's clocks that is over with an hour of UTC.
func over(hour int64, zone *time.Location) int64 {
	if beginOf(hour, zone) > 0 {
		hour-- // The one that begins within this one is not over.
	}
	return hour
}

// beginOf is when an hour of the site's clocks begins in an hour of UTC, in ms.
func beginOf(hour int64, zone *time.Location) int64 {
	_, offset := alerts.HourStart(hour).In(zone).Zone()
	return int64((3600-offset%3600)%3600) * 1000
}
