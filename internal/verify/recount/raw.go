package recount

import (
	"maps"
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// expect takes a well-formed record in: its session, whether it is counted, and by what it is a bot's.
func (w *Raw) expect(c *Chain, r *count.Record, session string, counted bool, by count.Bot) error {
	e := r.Event
	if w.v.Opts.SkipRaw || !w.v.Wants(e.SiteID) || !w.v.InRange(e.Timestamp, e.Timestamp+1) {
		return nil
	}
	site := string(e.SiteID)
	events := w.Sites[site]
	if events == nil {
		events = make(map[RawKey]RawEvent)
		w.Sites[site] = events
	}
	origin := event.Origin{TopicID: c.topicAt(r.Position, w.v.Log.ID), Partition: r.Partition, Offset: r.Offset}
	key := RawKey{Shard: RawShard(e, r.Rules), ID: event.ULID(e.SiteID, r.ID, origin, e.Timestamp)}
	counted = counted && r.Settings.RawEvents && !r.Settings.Rebuilt // Else another generation has written it.
	erasing := r.Gone || w.v.FateOfPerson(site, string(e.VisitorID), string(e.UserID), e.Timestamp) != scope.Stays
	if !scope.Unnamed(e) {
		session = ""
	}
	if counted && (r.Gone || session != "" && !r.Apart && c.Stats.Site(site).Sessions[session].End.Erased) {
		counted, erasing = false, true // Written by a step of an older revision at the most.
	}
	seen := RawSighting{Chain: c, Position: r.Position, Bot: by, Counted: counted}
	if counted && r.Settings.RawPacked {
		w.expectPacked(r, key, w.with(site, RawEvent{}, seen, erasing, session))
		counted, seen.Counted = false, false // An item was written by a step of other settings at the most.
	}
	for _, ruled := range w.v.WrittenUnder(site) {
		if other := (RawKey{Shard: RawShard(e, ruled), ID: key.ID}); other != key {
			seen := seen
			seen.Counted = false
			w.v.Ledger.grow(site, weighRaw)
			events[other] = w.with(site, events[other], seen, erasing, session)
		}
	}
	if before := events[key]; before.Chain == nil {
		w.v.Ledger.grow(site, weighRaw)
	} else {
		w.v.Ledger.grow(site, weighSighting)
	}
	known := w.with(site, events[key], seen, erasing, session)
	if counted && !known.Required {
		known.Required, known.Unsure = true, r.Unsure
		known.Digest = Digest(w.v.RawItem(r, by))
	}
	events[key] = known
	return nil
}

// with adds a record that may have made a raw event. The first counted one is the one to go by.
func (w *Raw) with(site string, e RawEvent, s RawSighting, erasing bool, session string) RawEvent {
	switch {
	case e.Chain == nil:
		e.RawSighting = s
	case s.Counted && !e.Counted:
		e.further().others = append(e.further().others, e.RawSighting)
		e.RawSighting = s
	default:
		e.further().others = append(e.further().others, s)
	}
	e.Erasing = e.Erasing || erasing
	if session != "" && !slices.Contains(e.Sessions(), session) {
		e.further().sessions = append(e.Sessions(), session)
		w.v.Ledger.grow(site, weighSighting)
	}
	return e
}

// expectPacked notes that a record's raw event is in a pack.
func (w *Raw) expectPacked(r *count.Record, key RawKey, e RawEvent) {
	site := string(r.Event.SiteID)
	w.v.Ledger.grow(site, weighRaw)
	e.Required, e.Unsure = true, r.Unsure
	e.Digest = Digest(w.v.RawItem(r, e.Bot))
	w.Sites[site][PackedKey(key.Shard, key.ID, r.Partition, r.Offset)] = e
}

// DiffersByRate reports whether a raw event is what its record makes but for the verdict on its session's rate, which is not known where
// the log has not all that the chain folded.
func (e *RawEvent) DiffersByRate(it sinks.Item) bool {
	if e.Chain.NotRecounted == "" || e.Chain.SettingsAt(e.Position).Bots.Rate == 0 || it[sinks.AttrExcluded].Kind() != sinks.None {
		return false
	}
	other := maps.Clone(it)
	switch by := it[sinks.AttrBot]; {
	case by.Kind() == sinks.None:
		other[sinks.AttrBot] = sinks.Str("rate")
	case by.Equal(sinks.Str("rate")):
		delete(other, sinks.AttrBot)
	default:
		return false
	}
	return Digest(other) == e.Digest
}
