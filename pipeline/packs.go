package pipeline

import (
	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sinks"
)

// Packed raw events are written by the flush that counts them, after its intent and before the next. So they are exactly the events of
// the flush under its recorded settings, and need no mark: who repeats the flush overwrites them with the same events. Neither the clock
// nor the compressor decides which packs there are.

// packedEvent makes what packs keep of a raw event. It is valid until the next record.
func (in *intake) packedEvent(r *record, id ulid.ULID, kept *urlquery.Kept) *pack.Event {
	e := &r.Event
	p := &in.packing
	*p = pack.Event{ID: id, RecordTime: r.Time, Offset: r.raw.Offset, Foreign: r.Foreign, Excluded: r.Excluded}
	var value, bot []byte
	if e.HasValue {
		value = []byte(FormatMicros(e.Value))
	}
	if r.Bot.Known() {
		bot = []byte(r.Bot)
	}
	p.Texts = pack.Arrange([...][]byte{e.Type, e.ID, e.VisitorID, e.SessionID, e.UserID, kept.Cut(e.URL), kept.Cut(e.Referrer), e.Title,
		e.UserAgent, e.Name, e.Properties, value, bot}, e.Given)
	return p
}

// packed makes the packs of a flush. A pack whose last event has expired is left out, as items are.
func (o *owned) packed(b *pack.Builder, step int64) (writes []plan.Write) {
	if b.Len() == 0 {
		return nil
	}
	now, expired := o.now().Unix(), 0
	for it, expiry := range b.Items(pack.Place{Keys: o.keys, Topic: o.topic, TP: o.tp, Step: step}) {
		if expiry > 0 && expiry <= now {
			expired++
			continue
		}
		writes = append(writes, plan.Write{Kind: sinks.EntityPack, Item: it})
	}
	if expired > 0 {
		o.metrics.Expired.WithLabelValues(sinks.EntityPack).Add(float64(expired))
	}
	return writes
}

// accumulated is what the lane's accumulating step takes in memory, with the states that it may change.
func (l *lane) accumulated() int { return l.fold.Held() + l.packs.Held() }
