package doctor_test

import (
	"errors"
	"testing"
	"time"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestGenerationsOfTheTable: doctor says what is left of a rebuild, and which command ends it.
func TestGenerationsOfTheTable(t *testing.T) {
	table, keys := testworld.Table(t), sinks.Keys{}
	says := func(severity doctor.Severity, found, command string) {
		t.Helper()
		r := doctor.Examine(t.Context(), doctor.Options{Config: config.Default(), KafkaError: errors.New("no brokers"), Table: table,
			Admin: table, Settings: checkpoint.DefaultSettings(), Role: doctor.RoleRun, Outage: time.Hour})
		want(t, r, "table.generations", severity, found, command)
	}
	set := func(key sinks.Key, name string, n int64) {
		t.Helper()
		u := sinks.Update{Key: key, Set: []sinks.Attr{{Name: name, Value: sinks.Int(n)}}}
		if n == 0 {
			u.Set, u.Remove = nil, []string{name}
		}
		if _, err := table.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	settings := keys.TableSettings()
	if _, err := sinks.EnsureTableSettings(t.Context(), table, keys, nil); err != nil {
		t.Fatal(err)
	}
	says(doctor.OK, "one generation", "")
	set(settings, sinks.AttrGenerations, 2)
	set(settings, sinks.AttrBuilding, 2)
	says(doctor.Warning, "nothing was counted into it", "footfall rebuild")
	built := sinks.KeysOfGeneration(2)
	number, err := sinks.EnsureTopic(t.Context(), table, built, "events")
	if err != nil {
		t.Fatal(err)
	}
	head := built.Checkpoint(sinks.TP{Topic: number}, checkpoint.LaneStats)
	if _, err := checkpoint.Acquire(t.Context(), checkpoint.NewClient(table), head, checkpoint.Owner{Name: "host/17/ABCDEF"}); err != nil {
		t.Fatal(err)
	}
	set(head, checkpoint.AttrFlushedAt, time.Now().UnixMilli())
	says(doctor.OK, "generation 2 of the items is being rebuilt beside generation 1", "")
	set(head, checkpoint.AttrFlushedAt, time.Now().Add(-time.Hour).UnixMilli())
	says(doctor.Warning, "nothing was counted into it for 1h0m0s", "footfall rebuild")
	set(settings, sinks.AttrBuilding, 0)
	set(settings, sinks.AttrGeneration, 2)
	set(settings, sinks.AttrFormer, 1)
	says(doctor.OK, "generation 1, which was live before, is kept", "")
	set(settings, sinks.AttrFlipped, 1)
	says(doctor.Warning, "generation 2 of the items is live, and making it so was cut short", "footfall rebuild")
	set(settings, sinks.AttrFlipped, 0)
	set(settings, sinks.AttrFormer, 0)
	set(settings, sinks.AttrDropping, 1)
	says(doctor.Warning, "generation 1 of the items is being deleted", "footfall rebuild drop")
}
