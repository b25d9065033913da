// Package watch judges the hours of sites that have alerts, in the process that owns partition 0, and sends what it finds.
//
// An hour is judged once it is complete: all records that were published up to a few minutes after its end are counted, on every partition.
// It is not final then, as answers have it: later records may still change it, up to the allowed lateness, but an alert does not wait two
// days for them. What was found stays.
//
// A finding is put once, if absent, before it is sent. So two owners at once find the same, once; a process that ends in between leaves an
// item from which the next one continues. The last hour that was judged is kept for the whole table, after its findings. A process sends a
// finding until the webhook accepts it or a day is over. It may send it twice, with the same id.
//
//	watch.go     Watcher, passes, the mark
//	counts.go    what a rule is judged by, and what it would have found
//	complete.go  whether an hour is complete
//	send.go      webhooks
package watch

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/secret"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

const (
	// Grace is how long after an hour's end its records may be published and still be judged by.
	Grace = 5 * time.Minute
	// MaxCatchUp is how many hours are judged at most that are over when a process begins: of those before, alerts would be no news.
	MaxCatchUp = 24
	// interval is how often a Watcher looks whether there is something to do.
	interval = 30 * time.Second
	// patience is how often the figures of a site are asked for in vain before its hour is left out.
	patience = 10
)

// Options are what a Watcher is made of. All are required but Key, Log and Now.
type Options struct {
	Table sinks.Table
	// Mine reports whether this process is the one that judges. While partition 0 changes hands there may be two, or none.
	Mine func() bool
	// Complete reports whether all records that were published before an instant are counted.
	Complete func(ctx context.Context, before time.Time) (bool, error)
	Key      *secret.Secret   // that findings are signed with; nil or "": none is sent
	Log      *slog.Logger     // nil: nothing is logged
	Now      func() time.Time // nil: time.Now
}

// Watcher judges hours and sends findings. One is used by one goroutine.
type Watcher struct {
	Options
	store  alerts.Store
	counts Counts
	sender sender

	judged int64           // no hour up to this one is to be judged any more
	tries  int             // of the hour that is being judged
	done   map[string]bool // sites of this hour
	queued bool            // pending findings of earlier processes were taken
}

// New makes a Watcher.
func New(o Options) *Watcher {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Watcher{Options: o, store: alerts.Store{Table: o.Table, Now: o.Now}, counts: Counts{query.New(o.Table, o.Now)},
		done: make(map[string]bool)}
	w.sender = newSender(o, &w.store)
	return w
}

// Beside returns what runs run, and the Watcher until that ends.
func (w *Watcher) Beside(run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		watching, end := context.WithCancel(ctx)
		var task sync.WaitGroup
		task.Go(func() { w.Run(watching) })
		defer task.Wait()
		defer end()
		return run(ctx)
	}
}

// Run judges and sends while this process is the one that does, until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if !w.Mine() {
			w.forget()
			continue
		}
		if err := w.Pass(ctx); err != nil && ctx.Err() == nil {
			// Cause: The table or the brokers did not answer, or refused a request. Remedy: None is needed: it is tried again. If it happens again
			// and again, mend what `error` names.
			w.Log.Warn("alerts are not judged now, and will be", "error", err)
		}
		w.sender.send(ctx)
	}
}

// forget drops what another process does now.
func (w *Watcher) forget() {
	w.judged, w.tries, w.queued = 0, 0, false
	clear(w.done)
	w.sender.queue = nil
}

// Pass judges the hours that are complete and were not judged. Without alerts it reads them once an hour, and does nothing more.
func (w *Watcher) Pass(ctx context.Context) error {
	last := alerts.Hour(w.Now().Add(-Grace)) - 1
	if last <= w.judged && w.judged <= last+MaxCatchUp {
		return nil
	}
	all, mark, err := w.store.All(ctx, w.damaged)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		w.judged = last
		return nil
	}
	w.sender.only(all)
	if err := w.takePending(ctx, all, last); err != nil {
		return err
	}
	for hour := w.first(&mark, last); hour <= last; hour++ {
		end := alerts.HourStart(hour + 1).Add(Grace)
		if complete, err := w.Complete(ctx, end); err != nil || !complete {
			return err
		}
		if !w.judge(ctx, all, hour) {
			return nil
		}
		mark.Hour = hour
		if err := w.store.PutMark(ctx, mark); err != nil {
			return fmt.Errorf("keep the hour that was judged last: %w", err)
		}
	}
	w.judged = last
	return nil
}

func (w *Watcher) damaged(err error) {
	// Cause: The item of an alert is damaged. Remedy: Delete the alert and create it again.
	w.Log.Warn("an alert cannot be read: others are judged", "error", err)
}

// first is the first hour that is to be judged: the one after the mark. Hours that are too long ago are left out, and a mark of an hour to
// come, by a clock that was wrong, is not believed.
func (w *Watcher) first(mark *alerts.Mark, last int64) int64 {
	switch oldest := last - MaxCatchUp + 1; {
	case mark.Hour == 0 || mark.Hour > last+MaxCatchUp:
		return last
	case mark.Hour+1 < oldest:
		from, to := alerts.HourStart(mark.Hour+1).Format(time.RFC3339), alerts.HourStart(oldest).Format(time.RFC3339)
		mark.Skipped = from + " to " + to
		// Cause: No process owned partition 0 for a day or longer, or records were not counted for as long. Remedy: `footfall alert try` says
		// what would have been found in these hours.
		w.Log.Warn("hours were not judged for alerts: they are too long ago", "from", from, "to", to)
		return oldest
	}
	return mark.Hour + 1
}

// judge judges an hour of all sites. It returns false if that is to be repeated: figures of a site cannot be read.
func (w *Watcher) judge(ctx context.Context, all []alerts.Alert, hour int64) bool {
	failed := 0
	for i := 0; i < len(all); {
		n := i + 1
		for n < len(all) && all[n].Site == all[i].Site {
			n++
		}
		site, of := all[i].Site, all[i:n]
		i = n
		if w.done[site] {
			continue
		}
		if err := w.judgeSite(ctx, site, of, hour); err != nil {
			failed++
			// Cause: The figures of the site cannot be read, or what was found not be written. Remedy: It is tried again for some minutes; the hour
			// of the site is left out then. Mend what `error` names.
			w.Log.Warn("the alerts of a site are not judged", "site", site, "hour", alerts.HourStart(hour), "error", err)
			continue
		}
		w.done[site] = true
	}
	if w.tries++; failed > 0 && w.tries < patience || ctx.Err() != nil {
		return false
	}
	w.tries = 0
	clear(w.done)
	return true
}

func (w *Watcher) judgeSite(ctx context.Context, site string, of []alerts.Alert, hour int64) error {
	zone, err := w.counts.zone(ctx, site, hour)
	if err != nil {
		return err
	}
	if _, offset := alerts.HourStart(hour).In(zone).Zone(); offset%3600 != 0 {
		hour-- // Its hours begin within those of UTC: the one that begins within this one is not over.
	}
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
		f := alerts.Finding{Site: site, Alert: a.ID, Hour: hour, When: a.Rule.String(), Found: found, JudgedAt: w.Now().UTC(),
			Delivery: alerts.Delivery{State: alerts.NoHook}}
		if a.Webhook != "" {
			f.Delivery.State = alerts.Pending
		}
		ours, err := w.store.Keep(ctx, f)
		if err != nil {
			return err
		}
		w.Log.Info("an alert fired", "site", site, "alert", a.ID, "hour", alerts.HourStart(hour))
		if ours && a.Webhook != "" {
			w.sender.add(a.Webhook, f)
		}
	}
	return nil
}

// takePending takes the findings that earlier processes have not sent.
func (w *Watcher) takePending(ctx context.Context, all []alerts.Alert, last int64) error {
	if w.queued {
		return nil
	}
	webhooks := make(map[[2]string]string)
	sites := make(map[string]bool)
	for _, a := range all {
		webhooks[[2]string{a.Site, a.ID}] = a.Webhook
		sites[a.Site] = true
	}
	for site := range sites {
		for f, err := range w.store.Findings(ctx, site, last-alerts.QuietHours-MaxCatchUp, last+2) {
			if err != nil {
				return err
			}
			if hook := webhooks[[2]string{site, f.Alert}]; f.Delivery.State == alerts.Pending && hook != "" {
				w.sender.add(hook, f)
			}
		}
	}
	w.queued = true
	return nil
}
