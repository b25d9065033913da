package doctor_test

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
)

// TestSchemaRegistry: it is asked for the schemas of the last records, once for each id, and not again if it does not answer.
func TestSchemaRegistry(t *testing.T) {
	reading := checkpoint.DefaultSettings()
	reading.Maps = checkpoint.Maps{{Map: mapping.Config{Input: mapping.InputRegistry}.Canonical()}}
	for _, c := range []struct {
		name     string
		down     bool
		asked    int
		severity doctor.Severity
		says     string
	}{
		{"answers", false, 2, doctor.OK, "answers for the last 20 records"},
		{"is down", true, 1, doctor.Error, "503 from the registry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			examined(t, func(t *testing.T, in *installation) {
				in.produce(func(i int, r *kgo.Record) {
					r.Value = testpipeline.Framed([]testpipeline.Record{{Value: r.Value}}, uint32(1+i%2))[0].Value
				})
				shelf := testpipeline.NewShelf(1, 2)
				shelf.Down = c.down
				in.Settings, in.Registry = reading, shelf
				report := doctor.Examine(t.Context(), in.Options)
				want(t, report, "event.registry", c.severity, c.says, "")
				if c.down { // Nothing is rejected.
					want(t, report, "topic.events", doctor.Unchecked, "20 of the last 20 records wait for the schema registry", "")
				}
				if n := shelf.Asked[wire.Confluent(1)] + shelf.Asked[wire.Confluent(2)]; n != c.asked {
					t.Errorf("the registry was asked %d times, want %d", n, c.asked)
				}
			})
		})
	}
	examined(t, func(t *testing.T, in *installation) {
		in.produce(func(_ int, r *kgo.Record) {
			r.Value = testpipeline.Framed([]testpipeline.Record{{Value: r.Value}}, 1)[0].Value
		})
		shelf := testpipeline.NewShelf(1)
		in.Settings, in.Registry = reading, shelf
		book := schemas.Book{Table: checkpoint.NewClient(in.Options.Table), Topic: in.Config.Kafka.Topic, Registry: shelf, Watch: unwatched{}}
		if why, err := book.Ask(t.Context(), wire.Confluent(1)); why != "" || err != nil {
			t.Fatal(why, err)
		}
		shelf.Down = true // The table keeps what the records need.
		report := doctor.Examine(t.Context(), in.Options)
		want(t, report, "event.registry", doctor.Error, "503 from the registry", "")
		want(t, report, "topic.events", doctor.OK, "the last 20 records are events", "")
		shelf.Down = false
		shelf.Has[wire.Confluent(1)] = `{"title": "of another registry"}`
		want(t, doctor.Examine(t.Context(), in.Options), "event.registry", doctor.Error, "other schemas than the table keeps for 1", "")
	})
	examined(t, func(t *testing.T, in *installation) {
		in.Settings, in.Registry = reading, testpipeline.NewShelf()
		in.produce(func(int, *kgo.Record) {})
		want(t, doctor.Examine(t.Context(), in.Options), "event.registry", doctor.OK, "none of the last 20 records names a schema", "")
		in.RegistryError = errors.New("event.registry.passwordFile: away")
		want(t, doctor.Examine(t.Context(), in.Options), "event.registry", doctor.Error, "event.registry.passwordFile: away", "")
	})
}

// unwatched is a registry of whose answers nothing is said.
type unwatched struct{}

func (unwatched) Asked(time.Time)        {}
func (unwatched) Heard(time.Time, error) {}
func (unwatched) Left()                  {}
