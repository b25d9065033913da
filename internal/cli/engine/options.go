// Package engine turns a configuration into options of the pipeline: settings, hash key and memory. It also says what is wrong in
// a valid configuration.
package engine

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// duplicatesOf is the window of duplicates of a configuration. Its memory bounds its positions.
func duplicatesOf(c config.Config) checkpoint.Duplicates {
	if c.Duplicates.Window == 0 {
		return checkpoint.Duplicates{}
	}
	return checkpoint.Duplicates{WindowMs: c.Duplicates.Window.Milliseconds(),
		Positions: int64(c.Duplicates.MemoryBytes) / checkpoint.DuplicateBytes}
}

// PipelineOptions are what the configuration says to the pipeline. The caller adds the brokers and the table.
func PipelineOptions(c config.Config) pipeline.Options {
	s := checkpoint.DefaultSettings()
	s.LateMs = time.Duration(c.AllowedLateness).Milliseconds()
	if c.AllowedLateness == config.Off {
		s.LateMs = -1
	}
	s.EarlyMs = c.AllowedEarliness.Milliseconds()
	s.NonInteractive = slices.Clone(c.NonInteractiveEvents)
	s.RawEvents, s.RawPacked, s.BatchBytes = c.RawEvents.Kept(), c.RawEvents == config.RawPacked, int64(c.BatchBytes)
	s.Sites, s.NewSites = c.Sites.Accept, int64(c.Sites.MaxNewPerHour)
	s.Retention = checkpoint.Retention{
		RawDays: int64(c.Retention.Raw), SessionDays: int64(c.Retention.Session),
		HourDays: int64(c.Retention.Hour), DayDays: int64(c.Retention.Day),
	}
	observe := checkpoint.Duplicates{}
	s.Duplicates = duplicatesOf(c)
	s.Breakdowns, s.BreakdownBytes = c.Breakdowns.Rows, c.Breakdowns.Bytes
	s.Bots = checkpoint.Bots{Lists: c.Bots.Lists, Rate: int64(c.Bots.Rate)}
	s.VisitGapMs, s.VisitLongestMs = time.Duration(c.Visits.Gap).Milliseconds(), c.Visits.Longest.Milliseconds()
	s.QueryParameters = urlquery.Canonical(c.Privacy.QueryParameters)
	if c.Event.Mapped() {
		s.Maps = checkpoint.Maps{{Map: command.Mapping(c.Event).Canonical()}}
	}
	if c.Duplicates.Observe {
		s.Duplicates, observe = observe, s.Duplicates
	}
	return pipeline.Options{
		Topic: c.Kafka.Topic, Group: c.Kafka.Group, InstanceID: c.Kafka.GroupInstanceID,
		ServerBalanced: c.Kafka.GroupProtocol == "consumer", FailedTopic: c.Kafka.FailedTopic,
		SessionTimeout: c.Kafka.SessionTimeout, Rack: c.Kafka.ClientRack,
		FetchMaxBytes: c.Kafka.FetchMaxBytes, MaxPartitionFetchBytes: c.Kafka.MaxPartitionFetchBytes,
		WritesByKey: strings.HasPrefix(c.Table, "sqlite://"), HashKey: HashKey(c), SiteZone: c.Sites.Zone, Settings: s,
		ObserveDuplicates: observe,
		StatsInterval:     c.Intervals.Stats, RealtimeInterval: c.Intervals.Realtime, RealtimeMax: c.Intervals.RealtimeMax,
		ChunksAhead: c.Limits.ChunksAhead, Seal: pipeline.Seal{Interval: c.Seal.Interval, After: c.Seal.After},
		Limits: pipeline.Limits{
			MemoryBytes: c.Limits.MemoryBytes, FetchedBytes: c.Limits.FetchedBytes,
			Journal:   aggregate.DefaultJournal,
			StepItems: c.Limits.FlushItems, StepBytes: c.Limits.FlushBytes, QueueBytes: c.Limits.QueueBytes,
			CacheBytes: c.Limits.CacheBytes, InFlight: c.Limits.InFlight,
		},
	}
}

// SettingsNow are the settings that a pipeline of the configuration would begin a flush with at this time.
func SettingsNow(c config.Config, now time.Time) checkpoint.Settings {
	s := PipelineOptions(c).Settings
	s.NotAfter = checkpoint.NotAfter(now)
	return s
}

// HashKey is the configured key of the visitors' hash; nil asks for the table's own.
func HashKey(c config.Config) []byte {
	if c.VisitorHashKey == "" {
		return nil
	}
	key, err := hex.DecodeString(c.VisitorHashKey)
	if err != nil {
		panic(fmt.Sprintf("hashKey of a configuration that was validated: %v", err))
	}
	return key
}

// RefuseMapping returns an error if the configuration maps records: the command publishes events, which the mapping would take apart.
func RefuseMapping(c config.Config, command string) error {
	if !c.Event.Mapped() {
		return nil
	}
	return fmt.Errorf("event.* makes events of the records of topic %q, and %s publishes events as docs/events.md has them: give it a "+
		"configuration without event.*, and a topic of its own", c.Kafka.Topic, command)
}

// Judge judges events as a pipeline with these settings does.
func Judge(settings *checkpoint.Settings) produce.Judge {
	verdict := Verdicts(settings)
	return func(value []byte, recordTime time.Time) (string, string) {
		reason, detail, _ := verdict(value, recordTime)
		return string(reason), detail
	}
}

// Verdicts returns what judges the values of events as a pipeline with these settings does, and notes what is odd about them. It is not
// safe for concurrent use.
func Verdicts(settings *checkpoint.Settings) func([]byte, time.Time) (event.Reason, string, event.Notes) {
	decode, _ := checkpoint.Maps(nil).Decoder(0, mapping.NoSchemas) // Events need no mapping, which could be unknown.
	decoded := event.Event{}
	return func(value []byte, recordTime time.Time) (event.Reason, string, event.Notes) {
		reason, detail := settings.Verdict(decode, &kgo.Record{Value: value, Timestamp: recordTime}, &decoded)
		return reason, detail, decoded.Notes
	}
}
