package outgoing

import (
	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// PackedEvent makes p what packs keep of a raw event. It points into the record.
func PackedEvent(p *pack.Event, r *decoding.Record, id ulid.ULID, kept *urlquery.Kept) *pack.Event {
	e := &r.Event
	*p = pack.Event{ID: id, RecordTime: r.Time, Offset: r.Raw.Offset, Foreign: r.Foreign, Excluded: r.Excluded}
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
