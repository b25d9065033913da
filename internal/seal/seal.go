package seal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// Table is what the sealer asks of a table. It repeats no request: who makes a Sealer of a [sinks.Table] has requests that
// are refused for lack of capacity repeated by it, or does without what they were for until the next pass.
type Table interface {
	Put(ctx context.Context, p sinks.Put) (sinks.Result, error)
	BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error)
	Query(ctx context.Context, q sinks.Query) (sinks.Page, error)
}

// Options are what a Sealer is made of. Table is required.
type Options struct {
	Table    Table
	Keys     sinks.Keys
	After    time.Duration // how long after a day's or month's end it is sealed; less than 0: before its end
	Interval time.Duration // from the end of a pass to the beginning of the next; 0: an hour
	// DaySpan returns the span of a site's day, [from, to) in ms since the epoch, which has the hours that begin in it.
	// zone is what the site's entry fixes, and day what sinks.ParseDay returns of the day's name. nil: days are those of UTC.
	DaySpan func(site string, zone sites.Zone, day int64) (from, to int64)
	// Refresh has DaySpan know what is decided by now. It is called before a day is sealed: a site may have been created since
	// the last time. nil: nothing can be decided.
	Refresh func(context.Context) error
	// Drops returns the erasures of a site that include breakdowns, as of what is decided by now. They are dropped from what is
	// sealed, whether or not they have come to the hours yet. nil: there are none.
	Drops func(site string) []sites.Drop
	// Gone reports whether a site was purged and not created again, as of what is decided by now: nothing is sealed of it. nil: none was.
	Gone    func(site string) bool
	Mine    func() bool      // whether this process is the one that seals; nil: it is
	Now     func() time.Time // which days are over and which items have expired; nil: time.Now
	Metrics *Metrics         // nil: kept, not shown
	Log     *slog.Logger     // nil: nothing is logged
}

// wholeEvery is how many passes come to one that looks at all days of a site, not only at those of this month and the one
// before: late events may change older ones, and history may be imported.
const wholeEvery = 24

// Metrics are what operators watch.
type Metrics struct {
	Sealed  *prometheus.CounterVec // sealed items put, by kind
	Stale   prometheus.Counter     // days found sealed under other marks than they have
	Seconds prometheus.Counter     // spent in passes, rests included
	Failed  prometheus.Counter     // sites that a pass gave up
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	opts := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "footfall", Name: name, Help: help}
	}
	m := &Metrics{
		Sealed:  prometheus.NewCounterVec(opts("sealed_items_total", "Sealed items written, by kind."), []string{"kind"}),
		Stale:   prometheus.NewCounter(opts("sealed_stale_total", "Sealed days that had changed since, and were sealed again.")),
		Seconds: prometheus.NewCounter(opts("seal_seconds_total", "Time spent in passes over all sites, rests included.")),
		Failed:  prometheus.NewCounter(opts("seal_failures_total", "Sites that a pass gave up until the next.")),
	}
	reg.MustRegister(m.Sealed, m.Stale, m.Seconds, m.Failed)
	for _, kind := range []string{sinks.EntityMonthStats, sinks.EntitySealedUniques, sinks.EntitySealedBreakdown} {
		m.Sealed.WithLabelValues(kind)
	}
	return m
}

// Sealer seals the days and months of all sites of a table. Several may run at once. One is used by one goroutine.
type Sealer struct {
	o      Options
	passes int
	zone   sites.Zone // of the site in hand, as its entry fixes it
}

// New makes a Sealer.
func New(o Options) *Sealer {
	if o.Interval == 0 {
		o.Interval = time.Hour
	}
	if o.DaySpan == nil {
		o.DaySpan = (*sites.Log)(nil).DaySpan
	}
	if o.Refresh == nil {
		o.Refresh = func(context.Context) error { return nil }
	}
	if o.Drops == nil {
		o.Drops = func(string) []sites.Drop { return nil }
	}
	if o.Gone == nil {
		o.Gone = func(string) bool { return false }
	}
	if o.Mine == nil {
		o.Mine = func() bool { return true }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(prometheus.NewRegistry())
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Sealer{o: o}
}

// firstPass is how long after its start a process begins the first pass, if the interval is longer: it has other things to
// do then, and one that ends all the time shall not read all days each time.
const firstPass = time.Minute

// Run makes a pass every interval while this process is the one that seals, until ctx ends.
func (s *Sealer) Run(ctx context.Context) {
	wait := time.NewTimer(min(firstPass, s.o.Interval))
	defer wait.Stop()
	for {
		select {
		case <-wait.C:
		case <-ctx.Done():
			return
		}
		if s.o.Mine() {
			if err := s.Pass(ctx); err != nil && ctx.Err() == nil {
				// Cause: The table did not answer or refused a request, or another process seals now. Remedy: None is needed: the next pass is after
				// `seal.interval`. If it happens again and again, mend what `error` names.
				s.o.Log.Warn("sealing ended early and continues with the next pass", "error", err)
			}
		}
		wait.Reset(s.o.Interval)
	}
}

// errNotMine ends a pass: another process is the one that seals now.
var errNotMine = errors.New("this process is not the one that seals any more")

// errPurged ends the sealing of a site that is being purged: it is on the list of sites until the sweeps are over.
var errPurged = errors.New("the site is being purged")

// Pass seals what is to be sealed of all sites. What it does not come to the next one will: it may be ended at any moment,
// and repeated. A site whose items cannot be read is left out.
func (s *Sealer) Pass(ctx context.Context) error {
	begun := time.Now()
	defer func() { s.o.Metrics.Seconds.Add(time.Since(begun).Seconds()) }()
	whole := s.passes%wholeEvery == 0
	for nn := range sinks.SiteListShards {
		// Damaged entries are not left out, so that those of one site do not hide other sites.
		for it, err := range sinks.Items(ctx, s.o.Table, sinks.Query{PK: s.o.Keys.SiteList(nn)}) {
			if err != nil {
				return fmt.Errorf("the list of sites: %w", err)
			}
			if !s.o.Mine() {
				return errNotMine
			}
			site := sinks.ListedSite(it)
			if s.zone, err = sites.EntryZone(it, s.o.Keys); err == nil {
				err = s.site(ctx, site, whole)
			}
			if err != nil && ctx.Err() == nil {
				s.o.Metrics.Failed.Inc()
				// Cause: An item of the site is damaged, or the table refused a request. Remedy: The next pass tries again. If `error` names a damaged
				// item, run `footfall verify --site` for the site.
				s.o.Log.Warn("a site is not sealed in this pass", "site", site, "error", err)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	s.passes++
	return nil
}

// items reads what a query selects. A damaged item is an error.
func (s *Sealer) items(ctx context.Context, q sinks.Query) iter.Seq2[sinks.Item, error] {
	return sinks.Checked(sinks.Items(ctx, s.o.Table, q), sinks.CheckKinds)
}

// get reads items strongly, absent ones and those that have expired left out.
func (s *Sealer) get(ctx context.Context, keys ...sinks.Key) (map[sinks.Key]sinks.Item, error) {
	found, err := sinks.Get(ctx, s.o.Table, keys...)
	if err != nil {
		return nil, err
	}
	for _, it := range found {
		if err := sinks.CheckKinds(it); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(found, func(_ sinks.Key, it sinks.Item) bool { return s.expired(it) })
	return found, nil
}

func (s *Sealer) expired(it sinks.Item) bool { return it.Expired(s.o.Now().Unix()) }

// over reports whether a span that ends at end, in milliseconds, is to be sealed by now.
func (s *Sealer) over(end int64) bool { return end+s.o.After.Milliseconds() <= s.o.Now().UnixMilli() }
