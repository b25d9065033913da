package run

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/cli/serving"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/view"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/live"
	"github.com/footfall/footfall/query"
)

// devSession is what the parts of one run share.
type devSession struct {
	a     *command.App
	flags devFlags
	kafka []kgo.Opt
	topic string
	table *connect.Table
	log   *slog.Logger
	page  net.Listener // nil: no page is served
}

// run runs the parts until ctx ends, the time is over or the user closes the view. They end in order: the view, the
// traffic, and the pipeline once it has counted what was sent. The first failure ends all of them.
func (s *devSession) run(ctx context.Context, screen bool, notes []string) error {
	parts, failed := errgroup.WithContext(context.WithoutCancel(ctx))
	showing, endShowing := context.WithCancel(ctx)
	defer endShowing()
	consuming, endConsuming := context.WithCancel(context.WithoutCancel(ctx))
	defer endConsuming()
	context.AfterFunc(failed, endShowing)
	context.AfterFunc(failed, endConsuming)

	registry := prometheus.NewRegistry()
	p, err := s.pipeline(registry)
	if err != nil {
		return err
	}
	events, queue, err := serving.LocalCollector(s.flags.config, s.kafka, filepath.Join(s.flags.dir, "salts"), s.log)
	if err != nil {
		return err
	}
	defer queue.Close()
	collector := &view.Collector{Reader: query.New(s.table, time.Now), Now: time.Now,
		Lag: func() int64 { return lagOf(registry) }}
	furnished := make(chan struct{}) // closed when the sites have what their pages show
	o := view.Options{Collect: collector.Snapshot, Every: time.Second, Notes: notes, In: s.a.In, Out: s.a.Out,
		Width: func() int { columns, _ := s.a.Size(); return columns }}
	parts.Go(func() error {
		defer s.a.BeginDrain() // Closing the view stops the process.
		defer endShowing()
		if screen {
			return view.Screen(showing, o)
		}
		o.Every = 2 * time.Second
		return view.Lines(showing, o)
	})
	parts.Go(func() error {
		defer endConsuming()
		select {
		case <-furnished:
		case <-failed.Done():
			return nil // The pipeline's part returns why.
		}
		if err := s.publish(showing, endShowing); err != nil {
			return err
		}
		return s.catchUp(failed)
	})
	parts.Go(func() error { return s.count(showing, consuming, p, registry, furnished) })
	if s.page != nil {
		parts.Go(func() error { return serving.ServeUntilDone(consuming, s.page, s.table, events, s.log) })
	}
	if err := parts.Wait(); err != nil {
		return err
	}
	last, err := collector.Snapshot(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	columns, _ := s.a.Size()
	return last.Write(s.a.Out, columns)
}

// count runs the pipeline until consuming ends. It furnishes the sites before, while the page is served already, and closes furnished then.
func (s *devSession) count(showing, consuming context.Context, p *live.Pipeline, registry prometheus.Registerer,
	furnished chan<- struct{},
) error {
	if err := process.UnlessEnded(showing, s.furnish(showing)); err != nil {
		return err
	}
	close(furnished)
	return judging(s.flags.config, s.table, s.kafka, registry, s.log, p)(consuming)
}

func (s *devSession) pipeline(registry *prometheus.Registry) (*live.Pipeline, error) {
	o := engine.PipelineOptions(s.flags.config)
	o.StatsMax = devBehind
	o.Kafka, o.Table, o.Metrics, o.Log = s.kafka, s.table.Table, pipeline.NewMetrics(registry), s.log
	for _, text := range engine.ConfigWarnings(s.flags.config) {
		// Messages: ConfigWarnings, ShortSessions.
		s.log.Warn(text)
	}
	return live.New(o)
}

// publish sends the past, if that is asked for, and then traffic until ctx ends. It calls end when the time of --for is over, which begins
// after the past.
func (s *devSession) publish(ctx context.Context, end func()) error {
	now := time.Now()
	audience := produce.NewAudience(produce.Config{Sites: s.flags.sites, Seed: s.flags.seed}, now)
	if s.flags.history > 0 {
		from, err := s.historyFrom(ctx, now)
		if err != nil {
			return process.UnlessEnded(ctx, err)
		}
		if err := s.publishJob(ctx, produce.Job{Past: &produce.Past{Audience: audience, From: from, To: now, Daily: s.flags.daily}}); err != nil {
			return err
		}
	}
	if s.flags.span > 0 {
		defer time.AfterFunc(s.flags.span, end).Stop()
	}
	if s.flags.rate == 0 {
		<-ctx.Done()
		return nil
	}
	return s.publishJob(ctx, produce.Job{Traffic: audience, Rate: s.flags.rate, Rhythm: produce.Rhythm, RecordTime: produce.SendTime})
}

// publishJob sends the records of a job to the topic.
func (s *devSession) publishJob(ctx context.Context, job produce.Job) error {
	job.Kafka, job.Topic = s.kafka, s.topic
	// Message: Kafka timestamps go back to … and further, and topic … keeps records for …: … Cause: footfall dev publishes a past that is
	// older than what the topic keeps. Remedy: Give the topic retention.ms=-1.
	job.Warn = func(text string) { s.log.Warn(text) }
	summary, err := job.Run(ctx)
	s.log.Info("traffic ended", "sent", summary.Sent, "failed", summary.Failed)
	if ctx.Err() != nil && summary.Sent+summary.Failed == 0 {
		return nil // It was asked to end while it was still connecting.
	}
	return err
}

// historyFrom is when the past begins that is filled: after the last record of the topic, if that is within it.
func (s *devSession) historyFrom(ctx context.Context, now time.Time) (time.Time, error) {
	from := now.Add(-s.flags.history)
	cl, err := kgo.NewClient(s.kafka...)
	if err != nil {
		return from, err
	}
	defer cl.Close()
	latest, err := kadm.NewClient(cl).ListMaxTimestampOffsets(ctx, s.topic)
	if err == nil {
		err = latest.Error()
	}
	latest.Each(func(o kadm.ListedOffset) {
		if t := time.UnixMilli(o.Timestamp); o.Timestamp > 0 && t.After(from) {
			from = t
		}
	})
	return from, err
}

// How long to wait at the end for the chains to pass the last record, and how often to look. Two flush intervals
// are enough in calm.
const (
	catchUpMost  = 20 * time.Second
	catchUpEvery = 50 * time.Millisecond
)

// catchUp waits until the pipeline has written down what was in the topic when it was called, so that what is left
// behind adds up. It gives up after a while, since the next start goes on where this one ended in any case.
func (s *devSession) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, catchUpMost)
	defer cancel()
	cl, err := kgo.NewClient(s.kafka...)
	if err != nil {
		return err
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, s.topic)
	if err != nil {
		return fmt.Errorf("end offsets of topic %q: %w", s.topic, err)
	}
	tick := time.NewTicker(catchUpEvery)
	defer tick.Stop()
	for {
		next, err := engine.ChainOffsets(ctx, s.table, s.topic, len(ends[s.topic]))
		if err != nil && ctx.Err() == nil {
			return err
		}
		var left int64
		ends.Each(func(o kadm.ListedOffset) { left += max(0, o.Offset-next[o.Partition]) })
		if err == nil && left == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			// Cause: footfall dev was ended, and 20 s were too short to count what was in the topic. Remedy: None is needed: the next start
			// continues.
			s.log.Warn("stopping before everything was counted: the next start continues from here", "records", left)
			return nil
		}
	}
}

// lagOf is the lag of all partitions together, from the pipeline's metrics; -1: they do not have it yet.
func lagOf(metrics prometheus.Gatherer) int64 {
	families, err := metrics.Gather()
	if err != nil {
		return -1
	}
	lag := int64(-1)
	for _, f := range families {
		if f.GetName() != "footfall_lag_records" {
			continue
		}
		for _, m := range f.GetMetric() {
			if v := int64(m.GetGauge().GetValue()); v >= 0 {
				lag = max(lag, 0) + v
			}
		}
	}
	return lag
}

// devBehind is the interval between two flushes while more records wait than a chunk has. An import then writes each session and each
// hour less often.
const devBehind = 10 * time.Second

// devFlags are the flags of footfall dev.
type devFlags struct {
	dir   string
	sites int
	rate  float64
	seed  uint64
	span  time.Duration
	plain bool
	http  string // where the page is served; off: nowhere

	historyText string
	history     time.Duration // 0: none
	daily       float64       // events a day of it

	config config.Config // broker, topic, table and intervals are dev's own
}
