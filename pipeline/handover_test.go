package pipeline

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// ownership is the stats lane of a partition, folded and written by hand.
type ownership struct {
	t      *testing.T
	w      *worker
	f      *aggregate.Stats
	offset int64
}

func newOwnership(t *testing.T, change func(*checkpoint.Settings)) *ownership {
	w := ownedPartition(t)
	o := &ownership{t: t, w: w, f: w.stats.Fold.(*aggregate.Stats)}
	o.change(func(s *checkpoint.Settings) { s.RawEvents = false })
	o.change(change)
	return o
}

// change changes the settings of the accumulating step and of those after it.
func (o *ownership) change(change func(*checkpoint.Settings)) {
	s := o.w.stats.Settings
	change(&s)
	o.w.stats.Own, o.w.stats.Settings = s, s
	o.f.Begin(o.w.stats.Step, &o.w.stats.Settings)
}

// fold folds an event of site s; received is its record's time.
func (o *ownership) fold(kind, session, url string, at, received time.Time) {
	o.t.Helper()
	record := &kgo.Record{Offset: o.offset, Timestamp: received, Value: fmt.Appendf(nil,
		`{"siteId":"s","type":%q,"timestamp":%d,"visitorId":"v%s","sessionId":%q,"url":%q}`, kind, at.UnixMilli(), session, session, url)}
	o.offset++
	if err := o.w.foldChunk(o.t.Context(), []*kgo.Record{record}); err != nil {
		o.t.Fatal(err)
	}
}

// flush writes the step as of a time.
func (o *ownership) flush(now time.Time) {
	o.t.Helper()
	step, p := o.w.stats.Step, o.f.Cut(now.Unix())
	for _, w := range append(p.Writes, p.Days...) {
		var err error
		if w.Item != nil {
			_, err = o.w.send.Table.Put(o.t.Context(), sinks.Put{Item: w.Item})
		} else {
			_, err = o.w.send.Table.Update(o.t.Context(), w.Update)
		}
		if err != nil {
			o.t.Fatal(err)
		}
	}
	o.w.stats.Begin(step + 1)
	o.f.Settled(step)
}

// handOver lets go of all states, as if another owner went on.
func (o *ownership) handOver() {
	o.t.Helper()
	if o.f.Release(math.MaxInt64, math.MaxInt); o.f.States() > 0 {
		o.t.Fatalf("%d states are still in memory", o.f.States())
	}
}

// breakdown reads the bytes of an hour's breakdown.
func (o *ownership) breakdown(hour time.Time) []byte {
	o.t.Helper()
	key := o.w.keys.Breakdown("s", hour.UnixMilli(), o.w.tp)
	r, err := o.w.send.Table.BatchGet(o.t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
	if err != nil {
		o.t.Fatal(err)
	}
	return r.Items[key][sinks.AttrPart].Bytes()
}

// two is the beginning of an hour in the afternoon.
var two = time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)

// TestLoweredBoundSurvivesAHandOver: rows that a smaller bound evicts are evicted in the table, too, whichever record of
// which hour made the step notice.
func TestLoweredBoundSurvivesAHandOver(t *testing.T) {
	var after [][]byte
	for _, handOver := range []bool{false, true} {
		o := newOwnership(t, func(*checkpoint.Settings) {})
		minute := func(n int) time.Time { return two.Add(time.Duration(n) * time.Minute) }
		o.fold("page_view", "x", "/a", minute(1), minute(1))
		o.fold("page_view", "x", "/b", minute(130), minute(130))
		for i := range 60 {
			o.fold("page_view", "y", fmt.Sprintf("/page-with-a-long-name/%d", i), minute(2), minute(2))
		}
		o.flush(minute(131))
		o.change(func(s *checkpoint.Settings) { s.BreakdownBytes = 1500 })
		o.fold("click", "x", "/b", minute(70), minute(131)) // In another hour than its session's start, of which it changes nothing.
		o.flush(minute(131))
		if handOver {
			o.handOver()
		}
		for i := range 5 {
			o.fold("page_view", "y", fmt.Sprintf("/page-with-a-long-name/%d", i), minute(3), minute(131))
		}
		o.flush(minute(132))
		after = append(after, o.breakdown(two))
	}
	if !bytes.Equal(after[0], after[1]) {
		t.Error("the breakdown depends on who owns the partition")
	}
}

// TestExpiredStatesEndNoOwner: an item that has expired and is still there lacks what came later, and nothing is written
// of it. What a session takes back from it then is no impossible state.
func TestExpiredStatesEndNoOwner(t *testing.T) {
	late := two.Add(30 * time.Hour)
	for name, retention := range map[string]func(*checkpoint.Settings){
		"the hour":    func(s *checkpoint.Settings) { s.Retention.HourDays = 1 },
		"the session": func(s *checkpoint.Settings) { s.Retention.SessionDays = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOwnership(t, retention)
			o.fold("page_view", "x", "/a", two, two)
			o.fold("page_view", "y", "/a", two, two)
			o.flush(two.Add(time.Minute))
			o.fold("page_view", "x", "/b", two.Add(time.Second), late)
			o.fold("page_view", "z", "/b", two.Add(time.Second), late)
			o.flush(late)
			o.handOver()
			for _, session := range []string{"x", "z"} {
				o.fold("page_view", session, "/c", two.Add(2*time.Second), late)
			}
			o.flush(late)
		})
	}
}

// TestSessionsOfAllTimesFitIntoABreakdown: a producer may say that its sessions last for thousands of years.
func TestSessionsOfAllTimesFitIntoABreakdown(t *testing.T) {
	o := newOwnership(t, func(*checkpoint.Settings) {})
	end := time.UnixMilli(event.MaxTimestamp - 1000)
	o.w.now = func() time.Time { return end } // Else its records would not be believed.
	const sessions = 5000
	for n := range sessions {
		session := fmt.Sprint("s", n)
		o.fold("page_view", session, "/a", two, two)
		o.fold("page_view", session, "/a", end, end)
		if n%1000 == 999 {
			o.flush(two.Add(time.Minute))
			o.handOver()
		}
	}
	b := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(o.breakdown(two), b); err != nil {
		t.Fatal(err)
	}
	if row := b.Rows(sketch.Page)[0]; row.Sessions != sessions || row.DurationMs != sessions*aggregate.MaxBookedMs {
		t.Errorf("%d sessions of %d ms together", row.Sessions, row.DurationMs)
	}
}

// TestStepCountsTheBytesOfItsBreakdowns: a breakdown that grows within a step counts for what it has grown to.
func TestStepCountsTheBytesOfItsBreakdowns(t *testing.T) {
	o := newOwnership(t, func(*checkpoint.Settings) {})
	for i := range 2000 {
		o.fold("page_view", "y", fmt.Sprintf("/page-with-a-long-name/%0100d", i), two, two)
	}
	_, bytes := o.f.Size()
	if size := o.f.Sites["s"].Hours[two.UnixMilli()].Breakdown.Size(); bytes < size || bytes > size+10_000 {
		t.Errorf("the step has %d bytes, and its breakdown alone %d", bytes, size)
	}
}
