package verify

import (
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/rules"
	"github.com/footfall/footfall/sinks"
)

// rawKey names a raw event within its site.
type rawKey struct {
	shard uint8
	id    ulid.ULID
}

// rawEvent is a raw event that the log explains.
type rawEvent struct {
	chain    *chain
	position int64
	seen     bool // in the table
	unsure   bool // it may be a duplicate of one that the log has lost
	bots     bot  // what it may tell about its sender
	where    elsewhere

	erasing bool   // it is of a person who has a tombstone: it may be deleted
	session string // of an event that names nobody
}

// rawRecount knows which raw events the table must hold: one for each counted record, where records with the same
// siteId, id and shard share one.
//
// It also knows those that the table may hold although no step asks for them. Raw events go out as records arrive: a
// process that ends before it has begun their step leaves them behind, and the step is begun by another process, whose
// settings may leave those records out, and whose rules may lay them elsewhere.
type rawRecount struct {
	v        *verifier
	sites    map[string]map[rawKey]rawEvent
	possible map[string]map[rawKey]bool // true: of a person who has a tombstone, so that what lies there may be deleted
}

// expect takes a well-formed record in, of a step under settings, its session, whether it is counted, and by what it is a bot's.
func (w *rawRecount) expect(r *record, c *chain, settings *pipeline.Settings, session string, counted bool, by bot) error {
	e := r.event
	if w.v.opts.SkipRaw || !w.v.wants(e.SiteID) || !w.v.inRange(e.Timestamp, e.Timestamp+1) {
		return nil
	}
	site := string(e.SiteID)
	id := pipeline.EventULID(e.SiteID, r.id, w.v.log.id, r.partition, r.offset, e.Timestamp)
	shardOf := func(ruled *rules.Site) uint8 {
		return uint8(sinks.ShardOf(string(e.ShardID()), ruled.ShardsAt(e.Timestamp)))
	}
	key := rawKey{shardOf(r.rules), id}
	erasing := r.gone || w.v.fateOfPerson(site, string(e.VisitorID), string(e.UserID), e.Timestamp) != stays
	for _, ruled := range w.v.everRuled(site) {
		if other := (rawKey{shardOf(ruled), id}); other != key || !counted || !settings.RawEvents {
			w.maybe(site, other, erasing)
		}
	}
	if !counted || !settings.RawEvents {
		return nil
	}
	if !namesNobody(e) {
		session = ""
	}
	if r.gone || session != "" && c.stats.site(site).sessions[session].end.erased { // Written by a step of an older revision at the most.
		w.maybe(site, key, true)
		return nil
	}
	if w.sites[site] == nil {
		w.sites[site] = make(map[rawKey]rawEvent)
	}
	known, ok := w.sites[site][key]
	if !ok {
		known = rawEvent{chain: c, position: r.position, unsure: r.unsure}
	}
	known.bots |= by
	known.where |= elsewhereBy(e, r.rules)
	if c.mixed() { // As for bots.
		for _, ruled := range w.v.everRuled(site) {
			known.where |= elsewhereBy(e, ruled)
		}
	}
	if session != "" {
		known.session = session
	}
	known.erasing = known.erasing || erasing
	w.sites[site][key] = known
	return nil
}

// maybe notes that the table may hold a raw event, and whether it is one that may be deleted.
func (w *rawRecount) maybe(site string, key rawKey, erasing bool) {
	if w.possible[site] == nil {
		w.possible[site] = make(map[rawKey]bool)
	}
	w.possible[site][key] = w.possible[site][key] || erasing
}

// rawTime returns the event time that a raw event's key tells.
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

// judgeEvent compares a raw event: its key, and whether it is a bot's.
func (v *verifier) judgeEvent(s subject, it sinks.Item) (j judgement) {
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
	if known {
		j.chains = []*chain{e.chain}
		if it != nil {
			cmp.sender(e.chain.bots(e.bots))
			cmp.place(e.where)
			j.differences = cmp.differences
			return j
		}
		if e.position >= e.chain.settled() {
			return nothing // On its way.
		}
		switch {
		case gone: // Or it was not written, since it had passed.
			j.leftOut = becauseRetention
			return j
		case e.unsure:
			j.leftOut = becauseLog
			return j
		}
		cmp.differ(whole, absent, "present")
		j.differences = cmp.differences
		return j
	}
	switch {
	case it == nil:
		return nothing
	case gone:
		j.leftOut = becauseRetention
		return j
	}
	if _, possible := v.raw.possible[s.site][s.raw]; possible {
		j.leftOut = becauseNotBegun
		return j
	}
	topic, partition, offset, ok := rawSource(it)
	c := v.chains[pipeline.ChainID{Partition: partition, Lane: pipeline.LaneStats}]
	switch {
	case ok && topic != v.opts.Topic:
		return nothing
	case ok && offset >= v.ends[partition]:
		return nothing // Published after the run began.
	case ok && (c == nil || offset+c.head.Base >= c.settled()):
		return nothing // Its chain has not come to it.
	case ok && c.gaps > 0 && offset+c.head.Base < c.first:
		j.leftOut = becauseLog
		return j
	case ok && (offset < v.starts[partition] || v.recreated || c.head.TopicID != v.log.hexID()):
		j.leftOut = becauseLog
		return j
	}
	cmp.differ(whole, "present", absent)
	if c != nil {
		j.chains = []*chain{c}
	}
	j.differences = cmp.differences
	return j
}
