package seal

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/footfall/footfall/sinks"
)

// tries is how often a day or a month is sealed again because another runner has sealed it in between. Two runners meet
// when a partition changes hands; that they do so again and again is left to the next pass.
const tries = 5

var (
	// errGone says that the stats of a day have expired: nothing is sealed of it any more.
	errGone = errors.New("its stats have expired")
	// errOvertaken reports that another runner keeps sealing the same.
	errOvertaken = fmt.Errorf("another process sealed it %d times in between", tries)
)

// A target is a sealed item that is about to be put, and what is known of the one that lies there.
type target struct {
	kind string
	key  sinks.Key
	attr string // that names what the item was made from
	was  string // its value there; "": no item
}

// put puts the item unless another than the known one lies there; then it takes note of that one, and ok is false: what the
// item is made of must be read again, from its marks on. It may be repeated: a put that was refused because it has
// happened before has found its own.
func (s *Sealer) put(ctx context.Context, t *target, attrs sinks.Item) (ok bool, err error) {
	made := attrs[t.attr].Str()
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(t.key.PK), sinks.AttrSK: sinks.Str(t.key.SK),
		sinks.AttrEntity: sinks.Str(t.kind), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
	}
	maps.Copy(it, attrs)
	cond := sinks.Cond{Attr: t.attr, Op: sinks.Absent}
	if t.was != "" {
		cond = sinks.Cond{Attr: t.attr, Op: sinks.Equal, Value: sinks.Str(t.was)}
	}
	r, err := s.o.Table.Put(ctx, sinks.Put{Item: it, If: []sinks.Cond{cond}})
	if err != nil {
		return false, fmt.Errorf("put %s / %s: %w", t.key.PK, t.key.SK, err)
	}
	if r.Refused {
		now := r.Item[t.attr].Str()
		// Ours after all, of a put whose answer was lost, or another's under the same marks; but for the closing of a month.
		same := now == made && r.Item[sinks.AttrClosed].Int() == attrs[sinks.AttrClosed].Int()
		t.was = now
		return same, nil
	}
	t.was = made
	s.o.Metrics.Sealed.WithLabelValues(t.kind).Inc()
	return true, nil
}
