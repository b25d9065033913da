package replay_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// TestDamagedPositionIsNamed damages each attribute of a position, with its batch published and with its batch open. A run must
// end at once with an error that names the item, the attribute and the remedy. It may not wait for offsets that do not exist.
func TestDamagedPositionIsNamed(t *testing.T) {
	const far = 1 << 40
	text := sinks.Str("?")
	damages := map[string][]sinks.Value{
		"k":    {{}, sinks.Int(-1), sinks.Int(0), text},
		"f":    {{}, sinks.Int(-1), sinks.Int(far), text},
		"t":    {{}, sinks.Int(-1), sinks.Int(far), text},
		"d":    {{}, sinks.Int(2), text},
		"tid":  {{}, sinks.Int(1), text},
		"src":  {{}, sinks.Int(1), text},
		"sel":  {{}, sinks.Int(1), text, sinks.Str("[]"), sinks.Str(`{"from":"?"}`)},
		"ends": {{}, sinks.Int(1), text, sinks.Str("[]"), sinks.Str(`{"0":-1}`)},
		"next": {{}, sinks.Int(1), text, sinks.Str("[]"), sinks.Str(`{"too_late":-1}`), sinks.Str(fmt.Sprintf(`{"too_late":%d}`, far))},
		"ep":   {sinks.Int(-1), text},
	}
	for _, open := range []bool{false, true} {
		inWorld(t, func(t *testing.T, w *world) {
			for i := range 5 {
				w.entries(fake{reason: event.TooLate, offset: int64(i)})
			}
			o := w.options()
			if open {
				o.Table = &lastWords{w.table, 2} // The position is taken over, and the batch intended.
			}
			if _, err := replay.Run(t.Context(), o); open != errors.Is(err, errKilled) {
				t.Fatalf("Run = %v, killed %v", err, open)
			}
			key := sinks.Keys{}.Replay(sinks.TP{Topic: 1}, failed)
			whole := must(sinks.Get(t.Context(), w.table, key))(t)[key]
			for name, values := range damages {
				for _, v := range values {
					it := maps.Clone(whole)
					it[name] = v
					if v.Kind() == sinks.None {
						delete(it, name)
					}
					must(w.table.Put(t.Context(), sinks.Put{Item: it}))(t)
					for _, dry := range []bool{true, false} {
						ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("the run hangs"))
						o := w.options()
						o.DryRun = dry
						s, err := replay.Run(ctx, o)
						cancel()
						if err == nil || !strings.Contains(err.Error(), "attribute "+name) || !strings.Contains(err.Error(), key.SK) ||
							!strings.Contains(err.Error(), "restore") {
							t.Errorf("open %v, dry %v, %s is %v: Run = %+v, %v; want an error that names the item, the attribute and the remedy", open, dry,
								name, v, *s, err)
						}
					}
				}
			}
			if open {
				it := maps.Clone(whole)
				it["ends"] = sinks.Str(`{"1":0}`)
				must(w.table.Put(t.Context(), sinks.Put{Item: it}))(t)
				wantError(t, w.refused(func(*replay.Options) {}), "attribute ends", key.SK, "partition 0", "restore")
			}
			must(w.table.Put(t.Context(), sinks.Put{Item: whole}))(t)
			if s := w.replay(nil); s.Published+s.Found != 5 && open || s.Published != 0 && !open {
				t.Errorf("open %v: the run on the whole item: %+v", open, s)
			}
		})
	}
}
