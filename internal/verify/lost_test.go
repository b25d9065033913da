package verify_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestEveryAttributeOfALostSpan quarantines two items and damages each attribute of their lost spans. The report must name the lost
// span's item, with the attribute where that alone is wrong.
func TestEveryAttributeOfALostSpan(t *testing.T) {
	slow.Unraced(t) // One recount after the other, by the goroutines of every test here.
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		var spans []sinks.Item
		for name, attr := range map[string]string{"breakdown": sinks.AttrPart, "session": sinks.AttrCur} {
			var of sinks.Item
			for _, it := range w.snapshot() {
				if m, ok := sinks.Find(it.Key(), it, sinks.DefaultShards); ok && m.Type.Name == name {
					of = it
				}
			}
			if of == nil {
				t.Fatalf("the table has no %s", name)
			}
			w.set(of.Key(), with(of, attr, sinks.Bytes([]byte("?"))))
			done, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: w.topic, Table: w.table.Table, Key: of.Key()})
			if err != nil {
				t.Fatal(err)
			}
			spans = append(spans, done.Spans[0].Item(sinks.Keys{}))
		}
		r := w.verify(nil)
		if want(t, "quarantined", r, 0); len(r.Lost) != 2 || r.Compared["lost span"] != 2 {
			t.Fatalf("%d lost spans of %v compared, want 2", len(r.Lost), r.Compared)
		}
		notCompared := map[string]string{
			"at one more":     "when it was quarantined is known to it alone",
			"by another text": "the owner's name is for people",
			"k one more":      "a step up to the chain's last is possible",
		}
		for _, it := range spans {
			for _, name := range append(slices.Sorted(maps.Keys(it)), "stranger") {
				if name == sinks.AttrPK || name == sinks.AttrSK {
					continue
				}
				for how, bad := range damages(name, it[name]) {
					w.set(it.Key(), with(it, name, bad))
					r := w.verify(nil)
					named := slices.ContainsFunc(r.Differences, func(d finding.Difference) bool { return d.Kind == "lost span" && d.SK == it.Key().SK })
					if !named && notCompared[name+" "+how] == "" {
						t.Errorf("%s %s: the report does not name the lost span: exit code %d, %v", name, how, r.ExitCode(), r.Differences)
					}
				}
			}
			w.set(it.Key(), it)
		}
		stray := sinks.Keys{}.Lost(sinks.TP{Topic: 1}, checkpoint.LaneStats, "00")
		w.set(stray, with(with(spans[0], sinks.AttrPK, sinks.Str(stray.PK)), sinks.AttrSK, sinks.Str(stray.SK+"#x")))
		if r := w.verify(nil); r.DifferenceCount != 1 || r.Differences[0].SK != stray.SK+"#x" {
			t.Errorf("a key of no lost span: %v", r.Differences)
		}
	})
}
