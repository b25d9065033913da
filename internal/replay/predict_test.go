package replay_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// TestReplayIsForeseen: what a dry run foresees under the settings of now is what the pipeline does with the replayed records under
// them: bad ones stay rejected, late ones count once lateness is raised, and those of a site once it exists.
func TestReplayIsForeseen(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t) // The pipeline makes its own.
		w.late(0, 10)
		for i, value := range []string{"{", `{"siteId":"s"}`, `{"siteId":"s"}`} {
			r := &kgo.Record{Topic: topic, Partition: int32(i), Value: []byte(value), Timestamp: start}
			if err := w.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		w.fold(lateness(time.Hour))
		now := lateness(time.Hour)
		foresee := func(name string, counted int64, rejected map[event.Reason]int64) {
			t.Helper()
			s := w.replay(func(o *replay.Options) { o.DryRun, o.Settings = true, &now })
			if s.Published != 13 || s.Predicted.Counted != counted || !maps.Equal(s.Predicted.Rejected, rejected) {
				t.Errorf("%s: %+v of %d, want %d counted and rejected %v", name, s.Predicted, s.Published, counted, rejected)
			}
		}
		bad := map[event.Reason]int64{event.BadJSON: 1, event.MissingType: 2}
		foresee("as before", 0, map[event.Reason]int64{event.TooLate: 10, event.BadJSON: 1, event.MissingType: 2})
		now = lateness(48 * time.Hour)
		foresee("later", 10, bad)
		now.Sites = checkpoint.SitesRegistered
		foresee("registered only", 0, map[event.Reason]int64{event.UnknownSite: 10, event.BadJSON: 1, event.MissingType: 2})
		if err := sites.Create(t.Context(), w.table, sinks.Keys{}, sites.Definition{ID: "s"}, time.Now()); err != nil {
			t.Fatal(err)
		}
		foresee("created", 10, bad)

		s := w.replay(func(o *replay.Options) { o.Settings = &now })
		var text strings.Builder
		if err := s.WriteText(&text); err != nil || !strings.Contains(text.String(), "By the settings of now, 10 of them would be counted, or "+
			"repeat an event, and 3 rejected again: 1 as bad_json, 2 as missing_type.\n") {
			t.Errorf("%v\n%s", err, text.String())
		}
		w.fold(now)
		if have := w.totals(); have.Counted != 10 || have.Rejected[event.TooLate] != 10 || have.Rejected[event.BadJSON] != 2 ||
			have.Rejected[event.MissingType] != 4 {
			t.Errorf("totals %+v, want what was foreseen", have)
		}
	})
}
