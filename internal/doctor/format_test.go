package doctor_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestFormatOfTheTable: doctor says whether this release may use the table, and what is left of its upgrade.
func TestFormatOfTheTable(t *testing.T) {
	table, keys := testworld.Table(t), sinks.Keys{}
	says := func(severity doctor.Severity, found, command string) {
		t.Helper()
		r := doctor.Examine(t.Context(), doctor.Options{Config: config.Default(), KafkaError: errors.New("no brokers"), Table: table,
			Admin: table, Settings: checkpoint.DefaultSettings(), Role: doctor.RoleRun, Outage: time.Hour})
		want(t, r, "table.format", severity, found, command)
	}
	change := func(u sinks.Update) {
		t.Helper()
		u.Key = keys.TableSettings()
		if _, err := table.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	says(doctor.OK, "no pipeline has used the table yet", "")
	_, err := sinks.EnsureTableSettings(t.Context(), table, keys, nil)
	if err == nil {
		_, err = sinks.EnsureTopic(t.Context(), table, keys, "events")
	}
	if err == nil {
		_, err = checkpoint.Acquire(t.Context(), checkpoint.NewClient(table), keys.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats),
			checkpoint.Owner{Name: "host/17/ABCDEF"})
	}
	if err != nil {
		t.Fatal(err)
	}
	says(doctor.OK, fmt.Sprintf("format %d, the latest", sinks.LastFormat), "")
	change(sinks.Update{Set: []sinks.Attr{{Name: sinks.AttrFencing, Value: sinks.Int(1)}}})
	says(doctor.Warning, "cut short", "footfall upgrade finalize")
	change(sinks.Update{Remove: []string{sinks.AttrFormat, sinks.AttrRelease, sinks.AttrFencing}})
	says(doctor.OK, "release 0.0.9 may return until footfall upgrade finalize; its members own 1 of 1 lanes", "")
	change(sinks.Update{Set: []sinks.Attr{{Name: sinks.AttrFormat, Value: sinks.Int(sinks.LastFormat + 1)}}})
	says(doctor.Error, "run a later release", "")
	change(sinks.Update{Set: []sinks.Attr{{Name: sinks.AttrFormat, Value: sinks.Str("2")}}})
	says(doctor.Error, "put the number back", "")
}
