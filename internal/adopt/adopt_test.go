package adopt_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestTableContinuesInAMirror: members count a topic, then its mirror, and each record once. If the mirror has all records at their old
// offsets, all is recounted from it; if not, that is left out. Either way the table has what a table has that counted one topic.
func TestTableContinuesInAMirror(t *testing.T) {
	for _, c := range []struct {
		name    string
		copying copying
		packed  bool
		same    bool
	}{
		{"with the same offsets", copying{}, true, true},
		{"with the same offsets, raw events as items", copying{}, false, true},
		{"that began later", copying{skip: 100}, true, false},
		{"with markers of transactions", copying{transactions: 7}, true, false},
		{"that began later, with a marker after each record", copying{skip: 20, transactions: 1}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTwoWorlds(t, func(t *testing.T, old, mirror *testpipeline.World) {
				o := old.Options()
				o.Settings.RawPacked = c.packed
				all := events(900, time.Now())
				old.Folded(o, all[:600])
				old.Produce(all[600:700]...) // Mirrored before they are counted.
				c.copying.copyTo(t, old, mirror)
				a := adopted(t, old, mirror)
				if len(a.Lanes) != 2*partitions {
					t.Fatalf("%+v", a)
				}
				for _, l := range a.Lanes {
					if l.Same != c.same || !l.Adopted || l.Before == 0 || l.After == 0 || (l.NewOffset == l.Offset) != c.same {
						t.Errorf("%+v", l)
					}
				}
				again := adopted(t, old, mirror)
				for i, l := range again.Lanes {
					if !l.Adopted || l.NewOffset != a.Lanes[i].NewOffset || l.Position < a.Lanes[i].Position {
						t.Errorf("once more: %+v, before %+v", l, a.Lanes[i])
					}
				}
				mirror.Recreated = !c.same
				mirror.Agrees(o)
				o.Kafka = mirror.Kafka()
				mirror.Folded(o, all[700:])
				r := mirror.Recounted()
				if r.DifferenceCount != 0 || len(r.Gaps) != 2*partitions || (r.LeftOut[finding.BecauseLog] == 0) != c.same {
					t.Errorf("%d differences, gaps %+v, left out %v", r.DifferenceCount, r.Gaps, r.LeftOut)
				}
				old.Produce(all[700:]...)
				if have, want := answers(t, mirror.Table), answers(t, control(t, old, old.Options())); !slices.Equal(have, want) {
					t.Errorf("the table has\n%s\nand one of the old topic alone\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
				}
				if n := records(old); n != int64(len(all)) {
					t.Errorf("%d records were counted, of %d", n, len(all))
				}
			})
		})
	}
}

// TestMirrorThatIsNoneIsRefused: nothing is changed, and the reason is named.
func TestMirrorThatIsNoneIsRefused(t *testing.T) {
	const at = 40 // Records back from the last counted one, of about 300 of a partition.
	cut := func(from, to int) func([]*kgo.Record) []*kgo.Record {
		return func(list []*kgo.Record) []*kgo.Record {
			return slices.Delete(slices.Clone(list), len(list)-from, len(list)-to)
		}
	}
	for _, c := range []struct {
		name   string
		change func([]*kgo.Record) []*kgo.Record
		says   string
	}{
		{"it lacks a record before the last counted one", cut(at, at-1), "a record is missing there"},
		{"it lacks the last counted record", cut(1, 0), "wait until it has caught up"},
		{"it has come to a record long before", cut(200, 0), "wait until it has caught up"},
		{"it has nothing", func([]*kgo.Record) []*kgo.Record { return nil }, "has none of the last"},
		{"it has records twice", func(list []*kgo.Record) []*kgo.Record {
			return append(slices.Clone(list), list[len(list)-5:]...)
		}, "once more"},
		{"it has another timestamp", func(list []*kgo.Record) []*kgo.Record {
			for _, r := range list {
				r.Timestamp = r.Timestamp.Add(time.Millisecond)
			}
			return list
		}, "message.timestamp.type"},
		{"a value is another", func(list []*kgo.Record) []*kgo.Record {
			list[len(list)-1].Value = []byte("{}")
			return list
		}, "a record is missing there"},
		{"a header is another", func(list []*kgo.Record) []*kgo.Record {
			list[len(list)-at].Headers = []kgo.RecordHeader{{Key: "k"}}
			return list
		}, "a record is missing there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTwoWorlds(t, func(t *testing.T, old, mirror *testpipeline.World) {
				old.Folded(old.Options(), events(600, time.Now()))
				before := old.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
				copying{change: c.change}.copyTo(t, old, mirror)
				if a, err := job(old, mirror).Run(t.Context(), false); err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%+v, %v; want %q", a, err, c.says)
				}
				if after := old.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); after.Epoch != before.Epoch {
					t.Errorf("the checkpoint was %+v, and is %+v", before, after)
				}
			})
		})
	}
}
