package verify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// rawKey names a raw event within its site.
type rawKey struct {
	shard     uint8
	id        ulid.ULID
	partition int32 // of an event of a pack
	packed    int64 // the offset of its record, and 1; 0: it is an item
}

// rawEvent is a raw event that the log explains. It holds no text of its record: a hash of the item decides whether it is as
// its record has it, and the record is read again where it is not.
type rawEvent struct {
	rawSighting
	digest uint64 // of the item that the first counted record makes
	more   *rawMore

	required bool // a step asks for it. If not, its writer may not have begun the step
	seen     bool // in the table
	unsure   bool // it may be a duplicate of one that the log has lost
	erasing  bool // it is of a person who has a tombstone: it may be deleted
}

// rawMore is what few raw events have.
type rawMore struct {
	others   []rawSighting // further records with the same key
	sessions []string      // of the records without a visitor and a user
}

// rawSighting is a record that may have made a raw event.
type rawSighting struct {
	chain    *chain
	position int64
	bot      bot  // by what it is a bot's, where it is counted
	counted  bool // by its step, which wants raw events
}

// sessions returns the sessions of the records without a visitor and a user. An erasure deletes such a raw event by its session.
func (e *rawEvent) sessions() []string {
	if e.more == nil {
		return nil
	}
	return e.more.sessions
}

// sightings returns all records that may have made the raw event.
func (e *rawEvent) sightings() []rawSighting {
	if e.more == nil {
		return []rawSighting{e.rawSighting}
	}
	return append([]rawSighting{e.rawSighting}, e.more.others...)
}

func (e *rawEvent) further() *rawMore {
	if e.more == nil {
		e.more = new(rawMore)
	}
	return e.more
}

// rawRecount knows which raw events the table must hold: one for each counted record, where records with the same
// siteId, id and shard share one.
//
// It also knows those that the table may hold although no step asks for them. Raw events go out as records arrive: a
// process that ends before it has begun their step leaves them in the table. Another process begins the step, and its
// settings may leave those records out, or its rules may lay them elsewhere.
type rawRecount struct {
	v     *model
	sites map[string]map[rawKey]rawEvent
}

// rawShard returns the shard of a record's raw event under rules of its site.
func rawShard(e *event.Event, ruled *sites.Rules) uint8 {
	return uint8(sinks.ShardOf(string(e.ShardID()), ruled.ShardsAt(e.Timestamp)))
}

// expect takes a well-formed record in: its session, whether it is counted, and by what it is a bot's.
func (w *rawRecount) expect(c *chain, r *record, session string, counted bool, by bot) error {
	e := r.event
	if w.v.opts.SkipRaw || !w.v.wants(e.SiteID) || !w.v.inRange(e.Timestamp, e.Timestamp+1) {
		return nil
	}
	site := string(e.SiteID)
	events := w.sites[site]
	if events == nil {
		events = make(map[rawKey]rawEvent)
		w.sites[site] = events
	}
	origin := event.Origin{TopicID: w.v.log.ID, Partition: r.partition, Offset: r.offset}
	key := rawKey{shard: rawShard(e, r.rules), id: event.ULID(e.SiteID, r.id, origin, e.Timestamp)}
	counted = counted && r.settings.RawEvents
	erasing := r.gone || w.v.fateOfPerson(site, string(e.VisitorID), string(e.UserID), e.Timestamp) != stays
	if !unnamed(e) {
		session = ""
	}
	if counted && (r.gone || session != "" && !r.apart && c.stats.site(site).sessions[session].end.erased) {
		counted, erasing = false, true // Written by a step of an older revision at the most.
	}
	seen := rawSighting{chain: c, position: r.position, bot: by, counted: counted}
	if counted && r.settings.RawPacked {
		w.expectPacked(r, key, w.with(site, rawEvent{}, seen, erasing, session))
		counted, seen.counted = false, false // An item was written by a step of other settings at the most.
	}
	for _, ruled := range w.v.writtenUnder(site) {
		if other := (rawKey{shard: rawShard(e, ruled), id: key.id}); other != key {
			seen := seen
			seen.counted = false
			w.v.ledger.grow(site, weighRaw)
			events[other] = w.with(site, events[other], seen, erasing, session)
		}
	}
	if before := events[key]; before.chain == nil {
		w.v.ledger.grow(site, weighRaw)
	} else {
		w.v.ledger.grow(site, weighSighting)
	}
	known := w.with(site, events[key], seen, erasing, session)
	if counted && !known.required {
		known.required, known.unsure = true, r.unsure
		known.digest = digest(w.v.rawItem(r, by))
	}
	events[key] = known
	return nil
}

// with adds a record that may have made a raw event. The first counted one is the one to go by.
func (w *rawRecount) with(site string, e rawEvent, s rawSighting, erasing bool, session string) rawEvent {
	switch {
	case e.chain == nil:
		e.rawSighting = s
	case s.counted && !e.counted:
		e.further().others = append(e.further().others, e.rawSighting)
		e.rawSighting = s
	default:
		e.further().others = append(e.further().others, s)
	}
	e.erasing = e.erasing || erasing
	if session != "" && !slices.Contains(e.sessions(), session) {
		e.further().sessions = append(e.sessions(), session)
		w.v.ledger.grow(site, weighSighting)
	}
	return e
}

// rawTime returns the event time in a raw event's key.
func rawTime(id ulid.ULID) int64 { return int64(id.Time()) }

// rawSource reads where a raw event's record lies: "topic/partition/offset".
func rawSource(it sinks.Item) (topic string, partition int32, offset int64, ok bool) {
	rest, last, ok1 := cutLast(it["source"].Str())
	topic, middle, ok2 := cutLast(rest)
	offset, err1 := strconv.ParseInt(last, 10, 64)
	p, err2 := strconv.ParseInt(middle, 10, 32)
	return topic, int32(p), offset, ok1 && ok2 && err1 == nil && err2 == nil
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// judgeEvent compares a raw event with a hash of what its record makes. One that is not so has differences that
// settleEvents puts into words.
func (v *judges) judgeEvent(s subject, it sinks.Item) judgement {
	return v.judgeRaw(s, it, func(j *judgement, cmp *comparison, e rawEvent) {
		if !e.required || digest(it) != e.digest {
			j.event = it
			cmp.differ(whole, summary(it), "as none of its records makes it")
		}
	})
}

// judgeRaw compares a raw event by itself or in a pack, nil if the table has none, with what the recount has under its key. compare is
// asked if both have it.
func (v *judges) judgeRaw(s subject, it sinks.Item, compare func(*judgement, *comparison, rawEvent)) (j judgement) {
	gone, _ := v.expiry(s.site, sinks.AttrRawDays, rawTime(s.raw.id))
	events := v.raw.sites[s.site]
	e, known := events[s.raw]
	cmp := v.compare(s, it)
	if known && it != nil {
		e.seen = true
		events[s.raw] = e
	}
	switch f := v.fateOfEvent(s, e, it); {
	case f == mustBeGone && it != nil:
		cmp.differ(whole, "present", "erased")
		j.differences, j.chains = cmp.differences, v.stats
		return j
	case f != stays:
		j.leftOut = becauseErased
		return j
	}
	switch {
	case it == nil && !e.required:
		return nothing
	case it == nil:
		return v.missingEvent(cmp, &e, gone)
	case known:
		j.chains = []*chain{e.chain}
		compare(&j, cmp, e)
	case gone:
		j.leftOut = becauseRetention
	default:
		return v.strangeEvent(cmp)
	}
	j.differences = cmp.differences
	return j
}

// missingEvent answers for a raw event that a step asks for and the table does not have.
func (v *judges) missingEvent(cmp *comparison, e *rawEvent, gone bool) (j judgement) {
	switch {
	case e.position >= e.chain.settled():
		return nothing // On its way.
	case gone: // Or it was not written, since it had passed.
		j.leftOut = becauseRetention
		return j
	case e.unsure:
		j.leftOut = becauseLog
		return j
	}
	cmp.differ(whole, absent, "present")
	j.differences, j.chains = cmp.differences, []*chain{e.chain}
	return j
}

// ofAnotherTopic reports whether a raw event names a record of another topic that the table counts.
func (v *judges) ofAnotherTopic(it sinks.Item) bool {
	topic, _, _, ok := rawSource(it)
	return ok && topic != v.opts.Topic && v.topics[topic] != 0
}

// strangeEvent answers for a raw event whose key no record of the recount has.
func (v *judges) strangeEvent(cmp *comparison) (j judgement) {
	if v.ofAnotherTopic(cmp.item) {
		return nothing
	}
	topic, partition, offset, ok := rawSource(cmp.item)
	cmp.differ(whole, "present", absent)
	j.differences = cmp.differences
	c := v.chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
	if !ok || topic != v.opts.Topic || c == nil {
		j.event = cmp.item // Of a partition that no chain has begun, it may be of a record that was published since.
		return j
	}
	j.chains = []*chain{c}
	switch position := offset + c.head.Base; {
	case v.ofLostRecord(cmp.item):
		return judgement{leftOut: becauseLog}
	case offset >= v.ends[partition], position >= c.settled():
		j.event = cmp.item
	}
	return j
}

// ofLostRecord reports whether a raw event names a record that no chain folds, or that the log has lost. Such a raw event comes from an
// owner that read the record and ended before the record's step began.
func (v *judges) ofLostRecord(it sinks.Item) bool {
	topic, partition, offset, ok := rawSource(it)
	c := v.chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
	if !ok || topic != v.opts.Topic || c == nil {
		return false
	}
	position := offset + c.head.Base
	return c.gaps > 0 && position < c.first || offset < v.starts[partition] || v.recreated || c.head.TopicID != v.log.HexID() ||
		slices.ContainsFunc(c.skips, func(s skip) bool { return s.from <= position && position < s.to })
}

// rawMarks compares which kinds of raw events an entry of the list of sites mentions. Each kind that a settled flush has written must be
// there. A kind that none has written may be: its writer may not have begun the flush.
func (v *judges) rawMarks(cmp *comparison, site string) {
	var items, packs bool
	for key, e := range v.raw.sites[site] {
		if e.required && !e.unsure && e.position < e.chain.settled() {
			items, packs = items || key.packed == 0, packs || key.packed > 0
		}
	}
	for _, mark := range []struct {
		attr     string
		required bool
	}{{sinks.AttrRawItems, items}, {sinks.AttrRawPacks, packs}} {
		cmp.ignore(mark.attr)
		switch has := cmp.item[mark.attr]; {
		case has.Kind() == sinks.None && mark.required:
			cmp.differ(mark.attr, absent, "1")
		case has.Kind() != sinks.None && !has.Equal(sinks.Int(1)):
			cmp.differ(mark.attr, show(has), "1, or absent")
		}
	}
}
