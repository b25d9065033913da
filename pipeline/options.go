package pipeline

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/sinks"
)

// Options are what a Pipeline is made of. Kafka, Topic, Group and Table are required.
type Options struct {
	Kafka          []kgo.Opt // seeds, TLS, SASL, dialer; nothing about groups or offsets
	Topic          string
	Group          string
	InstanceID     string // static membership; "": none
	ServerBalanced bool   // a group of KIP-848, balanced by the broker; else classic, cooperative-sticky
	FailedTopic    string // where rejected records go; "": Topic + ".failed"

	// SessionTimeout is how long the group waits for heartbeats of a member, from 3 s; 0: 45 s. The brokers of a ServerBalanced group decide
	// it themselves.
	SessionTimeout time.Duration
	Rack           string // of this process, to read from replicas there; "": from the leaders
	FetchMaxBytes  int    // of an answer to a fetch; 0: DefaultFetchMaxBytes
	// MaxPartitionFetchBytes bounds the part of a partition in such an answer; 0: 1 MiB, or FetchMaxBytes if that is less.
	MaxPartitionFetchBytes int

	Table sinks.Table
	// WritesByKey sends the writes of a flush in the order of their keys. A table that keeps neighbours in one page, as SQLite does, then
	// changes fewer pages. In DynamoDB neighbours share a partition, which would be asked for all of a flush's units at once.
	WritesByKey bool

	HashKey []byte // 16 bytes, the key of the visitors' hash; nil: the table's own
	Rebuild Rebuild

	Settings checkpoint.Settings // zero: DefaultSettings
	Registry schemas.Registry    // gives the schemas that values name; nil: only those that the table keeps are known
	// SiteZone is the zone, of the IANA database, of sites that this process lists: see sites.EntryZone. "": UTC.
	SiteZone string
	// ObserveDuplicates is a window of duplicates that is only measured, beside the one of Settings that is acted on.
	ObserveDuplicates checkpoint.Duplicates
	StatsInterval     time.Duration // between two steps of the stats lane; 0: 60 s
	StatsMax          time.Duration // between two steps of a stats lane that is behind; below StatsInterval: that
	RealtimeInterval  time.Duration // 0: 5 s
	RealtimeMax       time.Duration // between two steps of a calm realtime lane, see lanes.CalmEvents; below RealtimeInterval: that
	Limits            Limits        // zero fields: DefaultLimits
	// ChunksAhead is how many chunks of a partition, of up to 256 records each, are decoded before their turn in a goroutine beside the
	// partition's own. What they take counts as fetched and is bounded by half of Limits.QueueBytes. 0: each is decoded in its turn.
	ChunksAhead int

	Seal Seal

	Metrics *Metrics     // nil: kept, and not shown
	Log     *slog.Logger // nil: nothing is logged
	// Flushed is called with each flush that has ended. It must return at once. Several goroutines call it.
	// Nil: flushes are not reported.
	Flushed func(Flush)
	Now     func() time.Time // decides what has expired; nil: time.Now
}

// Seal says when the owner of partition 0 seals days and months that are over.
type Seal struct {
	Interval time.Duration // between two passes; 0: there are none, and readers merge hours
	After    time.Duration // how long after its end a day is sealed
}

// Rebuild is what a rebuild counts: see package rebuild. With Settings.Rebuilt it sends no raw events and no failed events.
type Rebuild struct {
	Generation int                // of items, the live one or the one that is being rebuilt; 0: the live one
	Scripts    checkpoint.Scripts // that the lanes follow; nil: the pipeline's own settings and the latest rules hold
	Silent     bool               // no failed events are sent: of a sample
	Past       checkpoint.Past    // records that the topic has lost; nil: it has all that is to be counted
}

// Limits are the ceilings of the promise "bounded".
type Limits struct {
	// Of the process, in bytes.
	MemoryBytes  int // states, and the flushes that are under way
	FetchedBytes int // records that were fetched and are not folded yet

	// Of each partition.
	StepBytes  int // max. bytes of a step's writes, about: it is cut then
	StepItems  int // max. items of a step: it is cut then, so that a drain and a redo end in time
	QueueBytes int // fetched and not yet folded before its fetching pauses
	CacheBytes int // of states that one of its lanes keeps in memory beyond those of open steps

	InFlight int // requests at the table at once, of the process

	Journal aggregate.Journal // which hours are not rewritten at each step
}

// DefaultLimits bound what a process holds for all of its partitions. See PartitionBytes for what each of them adds.
var DefaultLimits = Limits{MemoryBytes: 256 << 20, FetchedBytes: 64 << 20,
	StepBytes: 64 << 20, StepItems: 40_000, QueueBytes: 8 << 20, CacheBytes: 64 << 20, InFlight: 128, Journal: aggregate.DefaultJournal}

// DefaultFetchMaxBytes bounds an answer to a fetch: uncompressed records of a few bytes cost the client forty times what they have.
const DefaultFetchMaxBytes = 8 << 20

// MaxChunksAhead bounds Options.ChunksAhead: beyond it nothing is gained.
const MaxChunksAhead = 64

// heartbeatMost is the longest time between two heartbeats; three of them fit in a session timeout.
const heartbeatMost = 3 * time.Second

// heartbeatInterval is how often a member sends a heartbeat, whose answer says that the group rebalances. With ten in a session timeout,
// the others take over from a member that died at most a tenth of the timeout after the group has given that member up.
func heartbeatInterval(sessionTimeout time.Duration) time.Duration {
	return min(heartbeatMost, sessionTimeout/10)
}

// orDefault fills in what may be left out.
func (o Options) orDefault() Options {
	if o.Settings.Fold == 0 {
		o.Settings = checkpoint.DefaultSettings()
	}
	if o.FailedTopic == "" {
		o.FailedTopic = o.Topic + ".failed"
	}
	if o.StatsInterval == 0 {
		o.StatsInterval = time.Minute
	}
	if o.RealtimeInterval == 0 {
		o.RealtimeInterval = 5 * time.Second
	}
	if o.SessionTimeout == 0 {
		o.SessionTimeout = 45 * time.Second
	}
	if o.FetchMaxBytes == 0 {
		o.FetchMaxBytes = DefaultFetchMaxBytes
	}
	if o.MaxPartitionFetchBytes == 0 {
		o.MaxPartitionFetchBytes = min(1<<20, o.FetchMaxBytes)
	}
	o.Limits = o.Limits.orDefault()
	if o.Metrics == nil {
		o.Metrics = NewMetrics(prometheus.NewRegistry())
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// check names every fault of the options.
func (o Options) check() error {
	var err error
	fault := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(format, args...)) }
	if o.Topic == "" {
		fault("Topic is empty: name the topic to consume")
	}
	if o.Group == "" {
		fault("Group is empty: name the consumer group")
	}
	if o.SessionTimeout < heartbeatMost {
		fault("SessionTimeout is %v: choose %v or more", o.SessionTimeout, heartbeatMost)
	}
	if o.MaxPartitionFetchBytes < 0 || o.MaxPartitionFetchBytes > o.FetchMaxBytes {
		fault("MaxPartitionFetchBytes is %d: choose at most FetchMaxBytes, which is %d", o.MaxPartitionFetchBytes, o.FetchMaxBytes)
	}
	if o.ChunksAhead < 0 || o.ChunksAhead > MaxChunksAhead {
		fault("ChunksAhead is %d: choose 0 to %d", o.ChunksAhead, MaxChunksAhead)
	}
	if o.Table == nil {
		fault("Table is nil: open a table first")
	}
	if o.HashKey != nil && len(o.HashKey) != 16 {
		fault("HashKey has %d bytes: it must have 16", len(o.HashKey))
	}
	if o.Settings.Sites != checkpoint.SitesAny && o.Settings.Sites != checkpoint.SitesRegistered {
		fault("Settings.Sites is %q: choose %q or %q", o.Settings.Sites, checkpoint.SitesAny, checkpoint.SitesRegistered)
	}
	if o.SiteZone != "" {
		if _, err := sites.LoadZone(o.SiteZone); err != nil {
			fault("sites.zone: the default of sites that are not created: %v", err)
		}
	}
	if _, err := urlquery.Parse(o.Settings.QueryParameters); err != nil {
		fault("Settings.QueryParameters: %v", err)
	}
	if o.Settings.BatchBytes < 1<<20 || o.Settings.BatchBytes > batch.Window {
		fault("Settings.BatchBytes is %d: choose 1 MiB to 16 MiB", o.Settings.BatchBytes)
	}
	if o.Settings.NewSites < 0 {
		fault("Settings.NewSites is %d: choose 0, which is any number, or more", o.Settings.NewSites)
	}
	if o.Settings.NotAfter != 0 {
		fault("Settings.NotAfter is %d: leave it 0, each step gets its own", o.Settings.NotAfter)
	}
	if o.Settings.Fold != checkpoint.FoldVersion {
		fault("Settings.Fold is %d: leave it %d, the table's format decides", o.Settings.Fold, checkpoint.FoldVersion)
	}
	if err := o.Settings.Maps.Check(); err != nil {
		fault("Settings.Maps: %v", err)
	}
	if o.Settings.Maps.Last() != "" && o.Settings.RawEvents && !o.Settings.RawPacked {
		fault("Settings.Maps: RawPacked is false: an item is written before its step names the mapping")
	}
	if o.FailedTopic == o.Topic {
		fault("FailedTopic %q is the topic itself: rejected records would come back for ever", o.FailedTopic)
	}
	return err
}

func (l Limits) orDefault() Limits {
	if l.Journal == (aggregate.Journal{}) {
		l.Journal = aggregate.DefaultJournal
	}
	for _, f := range []struct{ have, def *int }{
		{&l.MemoryBytes, &DefaultLimits.MemoryBytes}, {&l.FetchedBytes, &DefaultLimits.FetchedBytes},
		{&l.StepItems, &DefaultLimits.StepItems}, {&l.StepBytes, &DefaultLimits.StepBytes},
		{&l.QueueBytes, &DefaultLimits.QueueBytes}, {&l.CacheBytes, &DefaultLimits.CacheBytes},
		{&l.InFlight, &DefaultLimits.InFlight},
	} {
		if *f.have == 0 {
			*f.have = *f.def
		}
	}
	return l
}
