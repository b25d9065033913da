package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/upgrade"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestUpgradeThereAndBackAndFinalized: a table of the earlier release passes to members of this one and back, in order and by kill -9 in
// the middle of a flush, and is finalized. Until then its figures are those of the earlier release's rules, and from the next flush on
// those of this one's.
func TestUpgradeThereAndBackAndFinalized(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		testpipeline.MakeEarlier(t, w.Table)
		earlier := testpipeline.EarlierRelease{Table: w.Table}
		published := 0
		spam := 0           // for the earlier release
		publish := func() { // Urls are paths. The host of the site is on the list of spam, and its own pages refer to many.
			var list []record
			for i := range 20 {
				published++
				at := bubbleStart.Add(time.Duration(published) * time.Second)
				event := map[string]any{"siteId": "semalt.com", "type": "page_view", "timestamp": at.UnixMilli(),
					"visitorId": fmt.Sprint("v", published%3), "sessionId": fmt.Sprint("s", published), "id": fmt.Sprint(published), "url": "/a"}
				switch i % 5 {
				case 0: // The browser's name differs.
					event["userAgent"] = "Mozilla/5.0 (Linux; arm_64; Android 15; 2409BRN2CY) AppleWebKit/537.36 (KHTML, like Gecko) " +
						"Chrome/140.0.7339.122 YaBrowser/25.10.1.122.00 SA/3 Mobile Safari/537.36"
				case 1: // This phone was a bot.
					event["userAgent"] = "Mozilla/5.0 (Linux; Android 13; Spider 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36"
					spam++
				default:
					event["referrer"] = "https://www.semalt.com/b"
					spam++
				}
				list = append(list, record{Partition: int32(i % 2), Key: "k", At: at, Value: testpipeline.MustJSON(event)})
			}
			w.Produce(list...)
			w.Pass(30 * time.Second)
		}
		counted := func(wantBots int) {
			t.Helper()
			w.Settled()
			day := w.Item(sinks.Keys{}.DayStats("semalt.com", bubbleStart.UnixMilli()))
			if bots, events := day[sinks.AttrBotEvents].Int(), day[sinks.AttrEvents].Int(); bots != int64(wantBots) ||
				events != int64(published-wantBots) {
				t.Errorf("%d events of bots and %d of people, want %d and %d", bots, events, wantBots, published-wantBots)
			}
			w.recounts(published)
		}
		for i, table := range []sinks.Table{earlier, w.Table, earlier, w.Table} {
			fate := &midStep{Table: table}
			run := w.Start(w.With(fate, uint64(i)))
			publish()
			if i%2 == 0 {
				w.Settled()
				run.Drain()
				continue
			}
			fate.doom.Store(true)
			publish()
			run.Killed()
		}
		if w.head(0, checkpoint.LaneStats).Done && w.head(1, checkpoint.LaneStats).Done {
			t.Error("no flush is open: the test is void")
		}
		old := w.Start(w.With(earlier, 4))
		w.Settled()
		_, err := upgrade.Finalize(t.Context(), w.Table, false)
		named, ok := errors.AsType[*upgrade.EarlierError](err)
		if !ok || len(named.Owners) != 2*len(checkpoint.Lanes) {
			t.Errorf("Finalize beside a member of the earlier release: %v", err)
		}
		counted(spam)
		before := spam
		now := w.Start(w.With(w.Table, 5))
		if s, err := upgrade.Finalize(t.Context(), w.Table, true); err != nil || !s.Finalized || s.Unchanged != s.Lanes {
			t.Errorf("Finalize = %+v, %v", s, err)
		}
		publish() // An idle owner has nothing to write, and does not find out.
		ended := old.Ended()
		if later, ok := errors.AsType[*sinks.FormatError](ended); !ok || later.Release != sinks.FormatRelease(sinks.LastFormat) {
			t.Errorf("the member of the earlier release ended with %v", ended)
		}
		counted(before)
		hour := w.Item(sinks.Keys{}.Breakdown("semalt.com", bubbleStart.UnixMilli(), sinks.TP{Topic: 1}))
		names := new(sketch.Breakdown)
		if err := sketch.UnpackBreakdown(hour[sinks.AttrPart].Bytes(), names); err != nil {
			t.Fatal(err)
		}
		for _, browser := range []string{"Chrome", "Yandex Browser"} { // Rows of the earlier release stay.
			if !slices.ContainsFunc(names.Rows(sketch.Browser), func(r sketch.BreakdownRow) bool { return r.Value == browser }) {
				t.Errorf("no row of %s", browser)
			}
		}
		s, err := upgrade.Look(t.Context(), w.Table)
		if err != nil || s.Unchanged != 0 || len(s.Earlier) != 0 {
			t.Errorf("Look = %+v, %v; want all lanes in the new format", s, err)
		}
		now.Drain()
		if err := w.Ends(w.With(earlier, 6)); !errors.As(err, new(*sinks.FormatError)) {
			t.Errorf("the earlier release, deployed again: %v", err)
		}
	})
}

// TestFinalizedTableSaysSo: a second finalize changes nothing, and a table without settings cannot be finalized.
func TestFinalizedTableSaysSo(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), traffic(61, 1, 40, bubbleStart))
		before := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		if s, err := upgrade.Finalize(t.Context(), w.Table, false); err != nil || !s.Finalized || s.Lanes != 2 {
			t.Errorf("Finalize of a table in the latest format = %+v, %v", s, err)
		}
		if after := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); after.Epoch != before.Epoch {
			t.Errorf("a table in the latest format was fenced: epoch %d, before %d", after.Epoch, before.Epoch)
		}
		if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: sinks.Keys{}.TableSettings()}); err != nil {
			t.Fatal(err)
		}
		if _, err := upgrade.Finalize(t.Context(), w.Table, false); err == nil ||
			!strings.Contains(err.Error(), "no pipeline has used the table yet") {
			t.Errorf("Finalize of a table without settings = %v", err)
		}
	})
}
