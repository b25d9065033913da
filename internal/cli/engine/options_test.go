package engine

import (
	"reflect"
	"testing"
	"time"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// The configuration and the pipeline have their defaults in two places, since config imports none of our packages.
func TestDefaultsAgree(t *testing.T) {
	o := PipelineOptions(config.Default())
	want := checkpoint.DefaultSettings()
	want.RawPacked = true
	if !reflect.DeepEqual(o.Settings, want) {
		t.Errorf("settings %+v, want the pipeline's %+v", o.Settings, want)
	}
	if o.Limits != pipeline.DefaultLimits {
		t.Errorf("limits %+v, want the pipeline's %+v", o.Limits, pipeline.DefaultLimits)
	}
	if !o.Settings.RawEvents || o.ServerBalanced || o.HashKey != nil {
		t.Errorf("raw events %v, server balanced %v, hash key %x; want true, false, none", o.Settings.RawEvents, o.ServerBalanced, o.HashKey)
	}
}

func TestEveryFieldReachesThePipeline(t *testing.T) {
	c := config.Default()
	c.AllowedLateness, c.AllowedEarliness, c.NonInteractiveEvents = config.Off, time.Second, []string{"scroll"}
	c.Retention = config.Retention{Raw: 1, Session: 2, Hour: 3, Day: config.Never}
	c.VisitorHashKey = "000102030405060708090a0b0c0d0e0f"
	c.Duplicates = config.Duplicates{Window: 7 * time.Second, MemoryBytes: 1 << 20, Observe: true}
	c.Breakdowns = config.Breakdowns{Rows: 9, Bytes: 2000}
	c.Bots = config.Bots{Lists: false, Rate: 7}
	c.Sites.Accept, c.Sites.MaxNewPerHour, c.BatchBytes = "registered", 3, 8<<20
	c.Privacy.QueryParameters = []string{"utm_*", "gclid"}
	c.Visits = config.Visits{Gap: config.Gap(time.Second), Longest: time.Minute}
	c.Kafka.GroupProtocol, c.Kafka.GroupInstanceID, c.Kafka.FailedTopic, c.RawEvents = "consumer", "a", "bad", config.RawOff
	c.Kafka.SessionTimeout, c.Kafka.ClientRack, c.Kafka.FetchMaxBytes, c.Kafka.MaxPartitionFetchBytes = 10*time.Second, "b", 100_000, 50_000
	o := PipelineOptions(c)
	if o.SessionTimeout != 10*time.Second || o.Rack != "b" || o.FetchMaxBytes != 100_000 || o.MaxPartitionFetchBytes != 50_000 {
		t.Errorf("session timeout %v, rack %q, fetches of %d and %d bytes; want those of the configuration", o.SessionTimeout, o.Rack,
			o.FetchMaxBytes, o.MaxPartitionFetchBytes)
	}
	want := checkpoint.Settings{BatchBytes: 8 << 20, Fold: checkpoint.FoldVersion, LateMs: -1, EarlyMs: 1000,
		NonInteractive: []string{"scroll"}, Breakdowns: 9, BreakdownBytes: 2000,
		Sites: checkpoint.SitesRegistered, NewSites: 3, QueryParameters: "gclid,utm_*",
		Bots: checkpoint.Bots{Rate: 7}, VisitGapMs: 1000, VisitLongestMs: 60_000,
		Retention: checkpoint.Retention{RawDays: 1, SessionDays: 2, HourDays: 3, DayDays: checkpoint.Never}}
	if !reflect.DeepEqual(o.Settings, want) {
		t.Errorf("settings %+v, want %+v", o.Settings, want)
	}
	if want := (checkpoint.Duplicates{WindowMs: 7000, Positions: 41_943}); o.ObserveDuplicates != want {
		t.Errorf("a window of %v is observed, want %v", o.ObserveDuplicates, want)
	}
	if !o.ServerBalanced || o.InstanceID != "a" || o.FailedTopic != "bad" || o.Settings.RawEvents || len(o.HashKey) != 16 ||
		o.HashKey[15] != 15 {
		t.Errorf("options %+v do not say what the configuration says", o)
	}
}
