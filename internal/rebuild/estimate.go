package rebuild

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/tableid"
)

// Estimate is what a rebuild will take, extrapolated from a sample of the topic that was counted in memory.
type Estimate struct {
	Sampled    int64         `json:"sampledRecords"`
	WriteUnits float64       `json:"writeUnits"`
	ReadUnits  float64       `json:"readUnits"`
	Bytes      int64         `json:"bytes"`     // of the new generation's items
	RawEvents  int64         `json:"rawEvents"` // that are read; 0: the topic has all, or they are not to be read
	FileBytes  int64         `json:"fileBytes"` // of the temporary file that they are sorted in
	Shortest   time.Duration `json:"-"`         // at the speed of the sample, which waits for no table, or at the limit of write units
	ShortestMs int64         `json:"shortestMs"`
	PerSecond  float64       `json:"recordsPerSecond"` // that came to the topic of late, and are expected to come
	Overtaken  bool          `json:"overtaken"`        // they come faster than they would be counted
}

// A sample ends when every partition has had sampleFlushes flushes, or sampleMost records are counted, or no record was counted for
// sampleIdle, or after sampleSpan. The first flushes of a partition are as full as later ones, because their items are limited.
const (
	sampleFlushes = 4
	sampleMost    = 4_000_000
	sampleIdle    = time.Second
	sampleSpan    = 30 * time.Second
)

// Scratch is an empty table for a sample, which is made in it.
type Scratch interface {
	sinks.Table
	sinks.Admin
}

// sampleKeys are the keys of the generation that a sample is counted into. It is one that is being rebuilt: nothing goes out.
var sampleKeys = sinks.KeysOfGeneration(2)

// Estimate counts the beginning of the topic into a scratch table and extrapolates. It changes nothing, except that the brokers see one
// more consumer group.
func (j *Job) Estimate(ctx context.Context, table Scratch) (source Source, e Estimate, err error) {
	has, err := Look(ctx, j.Pipeline.Table)
	if err == nil {
		err = j.adopt(has)
	}
	if err != nil {
		return source, e, err
	}
	return j.estimate(ctx, table, has)
}

// EstimateResume is Estimate of Resume. It returns [ErrNoCopy] if the table is not a copy.
func (j *Job) EstimateResume(ctx context.Context, table Scratch) (source Source, e Estimate, err error) {
	has, err := Look(ctx, j.Pipeline.Table)
	if err == nil {
		err = j.isCopy(ctx, tableid.Check(ctx, j.Pipeline.Table, has), has)
	}
	if err != nil {
		return source, e, err
	}
	if !has.Restoring { // Other generations are dropped first.
		has.Building, has.Former, has.KeepBefore, has.Restoring = 0, 0, 0, true
	}
	return j.estimate(ctx, table, has)
}

func (j *Job) estimate(ctx context.Context, table Scratch, has sinks.Generations) (source Source, e Estimate, err error) {
	live := newChains(j.Pipeline.Table, has.Keys(), j.Pipeline.Topic)
	if source, err = j.inspect(ctx, live, has); err != nil || source.Records == 0 && source.lost == nil {
		return source, e, err
	}
	raw, err := j.estimateRaw(ctx, live, source)
	if err != nil {
		return source, e, err
	}
	defer raw.close()
	last, err := j.copySettings(ctx, table)
	if err != nil {
		return source, e, err
	}
	m := &metered{Table: table}
	o, err := j.sampling(ctx, m, live, last, has)
	if err != nil {
		return source, e, err
	}
	if raw.sample != nil {
		o.Rebuild.Past = raw.sample
	}
	registry := prometheus.NewRegistry()
	o.Metrics = pipeline.NewMetrics(registry)
	sampled := newChains(table, sampleKeys, o.Topic)
	began := time.Now()
	err = counting(ctx, o, func(ctx context.Context) error { return source.sample(ctx, sampled, registry, raw.sampled) })
	j.forget(ctx, o.Group)
	if err != nil {
		return source, e, fmt.Errorf("count a sample: %w", err)
	}
	took := time.Since(began)
	ends, err := sampled.ends(ctx)
	if err != nil {
		return source, e, err
	}
	for n, log := range source.logs {
		e.Sampled += max(0, ends[checkpoint.ChainID{Partition: n, Lane: checkpoint.LaneStats}]-log.Start)
	}
	e.Sampled += raw.sampled
	if e.Sampled == 0 {
		return source, e, errors.New("no record of the topic was counted in time: does the broker answer?")
	}
	d, err := table.Describe(ctx)
	if err != nil {
		return source, e, err
	}
	whole := float64(source.Records+raw.events) / float64(e.Sampled)
	e.WriteUnits, e.ReadUnits, e.Bytes = m.written()*whole, m.read()*whole+raw.units, int64(float64(d.Bytes)*whole)
	e.RawEvents, e.FileBytes = raw.events, raw.bytes
	e.Shortest = time.Duration(float64(took) * whole)
	if j.WriteUnits > 0 {
		e.Shortest = max(e.Shortest, time.Duration(e.WriteUnits/float64(j.WriteUnits)*float64(time.Second)))
	}
	if e.PerSecond, err = j.arrivals(ctx, source); err == nil {
		e.grow(source.Records+raw.events, j.Pipeline.StatsInterval)
	}
	return source, e, err
}

// sampling are the options of the pipeline that counts the sample into a table. last is the revision of the rules there.
func (j *Job) sampling(ctx context.Context, table sinks.Table, live *chains, last int64, has sinks.Generations) (pipeline.Options, error) {
	o := j.Pipeline
	o.Group += ".estimate-" + rand.Text() // Of its own: members of an earlier run that was killed would hold partitions for a while.
	o.InstanceID, o.Table, o.Settings.Rebuilt, o.Seal.Interval = "", table, !has.Restoring, 0
	o.Log = slog.New(slog.DiscardHandler) // What it says of partitions and offsets would read as if the table were written.
	o.Rebuild.Generation, o.Rebuild.Silent = sampleKeys.Generation, has.Restoring
	var err error
	if o.Rebuild.Scripts, err = j.scripts(ctx, live); err != nil {
		return o, err
	}
	for id, s := range o.Rebuild.Scripts {
		o.Rebuild.Scripts[id] = s.UpToRevision(last)
	}
	return o, j.copySchemas(ctx, table, o.Rebuild.Scripts)
}

// forget deletes a consumer group that is of no more use, so that it is not watched as one that lags. The brokers forget it in time if not.
func (j *Job) forget(ctx context.Context, group string) {
	client, err := kgo.NewClient(j.Pipeline.Kafka...)
	if err == nil {
		defer client.Close()
		_, err = kadm.NewClient(client).DeleteGroup(ctx, group)
	}
	if err != nil {
		j.Log.Debug("the consumer group of the estimate was not deleted", "group", group, "error", err)
	}
}

// copySettings makes a table with the settings of the sites, up to the first revision that is missing, and returns the last one.
func (j *Job) copySettings(ctx context.Context, table Scratch) (last int64, err error) {
	err = table.Create(ctx, sinks.Shape{})
	if err == nil {
		_, err = sinks.EnsureTableSettings(ctx, table, sinks.Keys{}, j.Pipeline.HashKey)
	}
	if err == nil {
		_, err = Begin(ctx, table, Start{})
	}
	if err != nil {
		return 0, err
	}
	pk, from := sinks.Keys{}.RulesAfter(0)
	for it, err := range sinks.Items(ctx, retry.Policy{}.Table(j.Pipeline.Table), sinks.Query{PK: pk, From: from}) {
		if err != nil {
			return 0, fmt.Errorf("read the settings of the sites: %w", err)
		}
		if it[sinks.AttrRev].Int() != last+1 {
			break
		}
		if _, err := table.Put(ctx, sinks.Put{Item: it}); err != nil {
			return 0, err
		}
		last++
	}
	return last, nil
}

// sample waits until enough is counted, by the chains and by the metrics of the pipeline. least is how many records there are at least.
func (s Source) sample(ctx context.Context, c *chains, metrics prometheus.Gatherer, least int64) error {
	end := time.After(sampleSpan)
	last, since := 0.0, time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		states, err := c.states(ctx)
		if err != nil {
			return err
		}
		enough := true
		for n, log := range s.logs {
			head := states[checkpoint.ChainID{Partition: n, Lane: checkpoint.LaneStats}].Head
			enough = enough && (head.Step > sampleFlushes || log.End == log.Start)
		}
		records, err := counted(metrics)
		if err != nil {
			return err
		}
		if records > last {
			last, since = records, time.Now()
		}
		if enough && records >= float64(least) || records >= sampleMost || records > 0 && time.Since(since) > sampleIdle {
			return nil
		}
		select {
		case <-tick.C:
		case <-end:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// counted is how many records a pipeline has counted, rejected and duplicate ones included.
func counted(metrics prometheus.Gatherer) (records float64, err error) {
	families, err := metrics.Gather()
	if err != nil {
		return 0, err
	}
	for _, f := range families {
		if f.GetName() == "footfall_records_total" {
			for _, m := range f.GetMetric() {
				records += m.GetCounter().GetValue()
			}
		}
	}
	return records, nil
}
