// Package watch judges the hours of sites that have alerts, in the process that owns partition 0, and sends what it finds.
//
// An hour is judged once it is complete: all records that were published up to a few minutes after its end are counted, on every partition.
// It is not final then, as answers have it: later records may still change it, up to the allowed lateness, but an alert does not wait two
// days for them. What was found stays.
//
// A partition that is not counted for longer, such as one that is parked, holds up the sites alone that it has counted events of in the
// weeks that they are judged by: without its records they would seem to drop. Others are judged. Once it is counted, the sites that waited
// are judged from where they stopped; hours that are more than a day old by then are left out.
//
// A finding is put once, if absent, before it is sent. So two owners at once find the same, once; a process that ends in between leaves an
// item from which the next one continues. The last hour that was judged is kept for the whole table, after its findings, and for each site
// that waits. A process sends a finding until the webhook accepts it or a day is over. It may send it twice, with the same id.
//
// The way of an hour of a site, every half a minute from Run on:
//
//	Watcher.Pass       reads alerts and marks
//	pass.judgeAll      goes through the hours; Topic.Uncounted: which partitions are late
//	pass.judgeUnheld   asks heldBy whether the late ones have events of the site: if so, it waits, and judgeWaiting judges it later
//	pass.tryJudge      tries again for some minutes where figures cannot be read
//	Watcher.judgeSite  takes each alert that is not quiet, keeps a finding, and queues it
//	Counts.Judge       reads the figures; alerts.Rule.Judge compares them
//	sender.send        posts what is queued, after the pass
//
//	watch.go     Watcher
//	pass.go      the hours of all sites, one after the other
//	wait.go      sites that wait for partitions
//	judge.go     an hour of a site
//	counts.go    what a rule is judged by, and what it would have found
//	complete.go  which partitions are not counted yet
//	send.go      webhooks
//	metrics.go   metrics
package watch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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
	// patienceForAll is how long records that are not counted hold up all sites. Then they hold up those alone that it concerns.
	patienceForAll = 15 * time.Minute
	// interval is how often a Watcher looks whether there is something to do.
	interval = 30 * time.Second
	// patience is how often the figures of a site are asked for in vain before its hour is left out.
	patience = 10
)

// Options are what a Watcher is made of. All are required but Key, Metrics, Log and Now.
type Options struct {
	Table sinks.Table
	// Mine reports whether this process is the one that judges. While partition 0 changes hands there may be two, or none.
	Mine  func() bool
	Topic interface {
		// Uncounted returns the partitions with records that were published before an instant and are not counted.
		Uncounted(ctx context.Context, before time.Time) ([]sinks.TP, error)
		// Marked returns the partitions that counted events of a site into the hours of spans.
		Marked(ctx context.Context, site string, spans [][2]int64) (map[sinks.TP]bool, error)
	}
	Key     *secret.Secret   // that findings are signed with; nil or "": none is sent
	Metrics *Metrics         // nil: kept, not shown
	Log     *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // nil: time.Now
}

// Watcher judges hours and sends findings. One is used by one goroutine.
type Watcher struct {
	Options
	store  alerts.Store
	counts Counts
	sender sender

	judged int64              // no hour up to this one is to be judged any more, but of sites that wait
	waits  int                // sites that wait
	tries  map[string]int     // by site, to judge its next hour
	done   map[string]int64   // by site: the hour that was judged last
	marked map[string]marking // by site
	queued bool               // pending findings of earlier processes were taken
}

// New makes a Watcher.
func New(o Options) *Watcher {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(prometheus.NewRegistry())
	}
	w := &Watcher{Options: o, store: alerts.Store{Table: o.Table, Now: o.Now}, counts: Counts{query.New(o.Table, o.Now)},
		tries: make(map[string]int), done: make(map[string]int64), marked: make(map[string]marking)}
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
		w.show()
	}
}

// forget drops what another process does now.
func (w *Watcher) forget() {
	w.judged, w.waits, w.queued = 0, 0, false
	clear(w.tries)
	clear(w.done)
	clear(w.marked)
	w.sender.queue = nil
	w.show()
}

// show sets the gauges.
func (w *Watcher) show() {
	w.Metrics.Unsent.Set(float64(len(w.sender.queue)))
	w.Metrics.Waiting.Set(float64(w.waits))
}

// Pass judges the hours that are complete and were not judged. Without alerts it reads them once an hour, and does nothing more.
func (w *Watcher) Pass(ctx context.Context) error {
	last := alerts.Hour(w.Now().Add(-Grace)) - 1
	if last <= w.judged && w.judged <= last+MaxCatchUp && w.waits == 0 {
		return nil
	}
	all, marks, err := w.store.All(ctx, w.damaged)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		w.judged, w.waits = last, 0
		return nil
	}
	if err := w.takePending(ctx, all, last); err != nil {
		return err
	}
	p := &pass{Watcher: w, marks: marks, last: last, uncounted: make(map[int64][]sinks.TP)}
	for _, a := range all {
		if n := len(p.sites); n == 0 || p.sites[n-1][0].Site != a.Site {
			p.sites = append(p.sites, nil)
		}
		p.sites[len(p.sites)-1] = append(p.sites[len(p.sites)-1], a)
	}
	if err = p.judgeAll(ctx); err == nil {
		err = p.judgeWaiting(ctx)
	}
	return err
}

func (w *Watcher) damaged(err error) {
	// Cause: The item of an alert, or of what one found, is damaged. Remedy: Delete the alert and create it again. What was found is not sent,
	// and expires.
	w.Log.Warn("an alert cannot be read: others are judged", "error", err)
}

// takePending takes the findings that earlier processes have not sent.
func (w *Watcher) takePending(ctx context.Context, all []alerts.Alert, last int64) error {
	if w.queued {
		return nil
	}
	sites := make(map[string]bool)
	for _, a := range all {
		sites[a.Site] = true
	}
	var pending []alerts.Finding
	for site := range sites {
		of, err := w.store.Pending(ctx, site, last-alerts.QuietHours-MaxCatchUp, last+2, w.damaged)
		if err != nil {
			return err
		}
		pending = append(pending, of...)
	}
	for _, f := range pending {
		w.sender.add(f)
	}
	w.queued = true
	return nil
}
