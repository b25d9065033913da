package verify_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// Settings without a number of shards spell no key of a session: that is said, and nothing panics.
func TestTableSettingsWithoutShardsAreADifference(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.produce(record{0, w.rich(1)})
		w.pipeline()
		key := sinks.Keys{}.TableSettings()
		it := w.snapshot()[key]
		for _, shards := range []sinks.Value{{}, sinks.Int(0), sinks.Int(-16), sinks.Int(65), sinks.Str("16")} {
			w.set(key, with(it, "sessionShards", shards))
			r := w.verify(nil)
			onlyAt(t, "sessionShards "+shards.String(), r, key, "sessionShards")
			if !strings.Contains(r.Note, "nothing else was compared") {
				t.Errorf("note %q", r.Note)
			}
		}
		w.set(key, it)
		want(t, "put back", w.verify(nil), 0)
	})
}

// An item of a topic that the table does not have belongs to nobody.
func TestMarksOfUnknownTopicsAreFound(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.produce(record{0, w.rich(1)})
		w.pipeline()
		strange := sinks.TP{Topic: 9}
		hour := w.start.UnixMilli() - w.start.UnixMilli()%3600_000
		keys := sinks.Keys{}
		key := keys.HourStats(plainSite, hour)
		it := w.snapshot()[key]
		w.set(key, with(it, sinks.AttrMark("stats", strange), sinks.Int(3)))
		onlyAt(t, "a mark of an unknown topic", w.verify(nil), key, "ws9_0")
		w.set(key, it)
		for key, it := range w.snapshot() {
			switch it[sinks.AttrEntity].Str() {
			case sinks.EntitySession, sinks.EntityBreakdown, sinks.EntityRealtime, sinks.EntityRecent:
				other := sinks.Key{PK: key.PK, SK: strings.Replace(key.SK, "1_0", "9_0", 1)}
				w.set(other, with(it, sinks.AttrSK, sinks.Str(other.SK)))
				r := w.verify(nil)
				want(t, "a part of an unknown topic", r, finding.ExitDifferent)
				w.set(other, nil)
			case sinks.EntityEvent:
				w.set(key, with(it, "source", sinks.Str("nowhere/0/0")))
				onlyAt(t, "a record of an unknown topic", w.verify(nil), key, "source")
				w.set(key, it)
			}
		}
		want(t, "put back", w.verify(nil), 0)
	})
}

// numbering gives a topic its number between any two reads of the metadata, as a pipeline that starts while verify reads may.
type numbering struct {
	sinks.Table
	mu    sync.Mutex // covers names
	names []string   // of the topics that are still to come
}

func (n *numbering) next(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.names) == 0 {
		return nil
	}
	name := n.names[0]
	n.names = n.names[1:]
	_, err := sinks.EnsureTopic(ctx, n.Table, sinks.Keys{}, name)
	return err
}

func (n *numbering) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := n.Table.BatchGet(ctx, g)
	if err == nil {
		err = n.next(ctx)
	}
	return r, err
}

func (n *numbering) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := n.Table.Query(ctx, q)
	if err == nil {
		err = n.next(ctx)
	}
	return page, err
}

// A number that is drawn while the metadata is read is no difference.
func TestTopicThatComesWhileVerifyReadsIsNoDifference(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.produce(record{0, w.rich(1)})
		w.pipeline()
		others := &numbering{Table: w.table.Table, names: []string{"b", "c", "d", "e"}}
		want(t, "topics of others", w.verify(func(o *scope.Options) { o.Table = others }), 0)
		if len(others.names) > 2 {
			t.Errorf("%d topics have not come", len(others.names))
		}
	})
}
