package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Options say what is verified against what.
type Options struct {
	Kafka []kgo.Opt // how to reach the brokers: seeds, TLS, SASL, dialer only
	Topic string
	Table sinks.Table
	Keys  sinks.Keys

	HashKey []byte // of the visitors' hash, 16 bytes; nil: the one that the table keeps
	SkipRaw bool   // leave raw events out; else each step's settings say whether the table must hold them

	Site     string         // verify one site; "": all
	From, To time.Time      // verify what overlaps this span of event time; zero: open
	Zone     *time.Location // that the report tells this span in; nil: UTC

	Wait           time.Duration    // how long to wait for the chains to pass the end offsets; 0: not at all
	Now            func() time.Time // decides what has expired; nil: time.Now
	MaxDifferences int              // how many differences are listed, beside being counted; 0: 1,000

	SampleSites float64    // share of all sites, chosen by their hash, that is verified; 0: all
	Memory      int64      // bytes, about, that are kept of sites at a time; more takes several passes over the log; 0: DefaultMemory
	Resume      string     // file that keeps which sites are done, and is continued from if it is there; "": none
	Cost        func(Cost) // is told what will be read before it is; nil: nobody
}

// verifier is one pass.
type verifier struct {
	opts    Options
	keys    sinks.Keys
	log     *topicLog
	hashes  part // of the sites that it recounts
	ledger  ledger
	folding bool // the part may still become smaller
	ran     bool
	hasher  sketch.Hasher
	table   sinks.TableSettings
	number  int64            // the topic's, in the table
	topics  map[string]int64 // numbers of all topics of the table, by name
	numbers map[int64]bool   // those numbers

	starts   map[int32]int64 // of the log, by partition
	ends     map[int32]int64 // when the run began
	settings map[string]*checkpoint.Settings
	chains   map[checkpoint.ChainID]*chain

	// The topic was created again: a raw event may be of a record that an owner had read, and no step had begun, when the
	// topic before was deleted. Its source does not tell which topic that was.
	recreated  bool
	unusable   bool                     // the settings of the table are damaged
	siteKnown  bool                     // the list of sites or the recount has Options.Site
	chainItems map[sinks.Key]sinks.Item // checkpoints and histories, as they were read last
	chainSeen  map[sinks.Key]bool       // histories that were compared
	stats      []*chain                 // of the stats lane, by partition
	raw        rawRecount
	used       map[string]rulesUsed // by site
	decoder    *event.Decoder
	classifier *classify.Classifier // of what is judged outside of a fold
	rules      *sites.Log
	swept      map[int64]bool       // by revision, the erasures that are done
	standings  map[ruledAt]standing // of records so far
	revs       []int64              // revisions of the rules that steps were folded under, in order
	lostSpans  losses

	mu      sync.Mutex // covers what the scans of several sites share
	late    map[lateDate]*journal.Journal
	report  Report
	pending []subject
}

// advance reads the checkpoints and brings the recounts to where they stand.
func (v *verifier) advance(ctx context.Context) (checkpoint.ChainStates, error) {
	all, err := v.loadHeads(ctx)
	if err != nil {
		return nil, err
	}
	if err := v.readRules(ctx); err != nil {
		return nil, err
	}
	if err := v.loadLost(ctx); err != nil {
		return nil, err
	}
	if err := v.meet(all); err != nil {
		return nil, err
	}
	if err := v.probe(ctx); err != nil {
		return nil, err
	}
	for {
		spans, err := v.spans(ctx)
		if err != nil {
			return nil, err
		}
		err = v.readLog(ctx, spans)
		if gone, ok := errors.AsType[*goneError](err); ok {
			if err := v.trimmed(ctx, gone.partition); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, c := range v.chains {
			if s, ok := spans[c.Partition]; ok {
				c.next = max(c.next, min(c.upTo, s.to+c.head.Base))
			}
		}
		if len(spans) > 0 {
			continue
		}
		for _, c := range v.chains {
			c.next = max(c.next, c.head.To)
		}
		return all, nil
	}
}

// readLog recounts one partition after the other: what may be repeated is kept of one at a time, where there are many.
func (v *verifier) readLog(ctx context.Context, spans map[int32]span) error {
	for _, p := range slices.Sorted(maps.Keys(spans)) {
		if err := v.log.read(ctx, map[int32]span{p: spans[p]}, v.takeAll); err != nil {
			return err
		}
		for _, lane := range checkpoint.Lanes {
			if c := v.chains[checkpoint.ChainID{Partition: p, Lane: lane}]; c != nil && len(v.chains) > keptSightings {
				c.seen.forget()
			}
		}
	}
	return nil
}

// trimmed notes that the log of a partition begins later than it did.
func (v *verifier) trimmed(ctx context.Context, partition int32) error {
	starts, err := v.log.starts(ctx)
	if err != nil {
		return err
	}
	for p, start := range v.starts { // Of a log that can be read from later on alone.
		starts[p] = max(starts[p], start)
	}
	v.starts = starts
	for _, c := range v.chains {
		held := v.starts[c.Partition] + c.head.Base
		if c.Partition == partition && c.next < held {
			c.next, c.notRecounted = held, "the log was cut while it was read"
		}
	}
	return nil
}

// spans are the offsets that the recounts still need, one span for both lanes of a partition.
func (v *verifier) spans(ctx context.Context) (map[int32]span, error) {
	ends := v.ends
	spans := make(map[int32]span)
	for _, c := range v.chains {
		c.upTo = c.stretch()
		from, to := c.next-c.head.Base, c.upTo-c.head.Base
		if from >= to || c.head.TopicID != v.log.hexID() {
			continue
		}
		if c.seen.forgotten {
			from = max(v.starts[c.Partition], c.next-c.seen.window-c.head.Base)
			for _, skipped := range c.skips {
				if skipped.to <= c.next {
					from = max(from, skipped.to-c.head.Base)
				}
			}
		}
		if to > ends[c.Partition] {
			var err error
			if ends, err = v.log.ends(ctx); err != nil {
				return nil, err
			}
		}
		if end := ends[c.Partition]; to > end {
			if c.notRecounted != logTooShort {
				key := v.keys.Checkpoint(c.tp, c.Lane)
				v.differOnce(Difference{Kind: kindCheckpoint, PK: key.PK, SK: key.SK, Attribute: "t",
					Table: fmt.Sprint(c.head.To), Recount: fmt.Sprintf("the log ends at position %d", end+c.head.Base)})
			}
			c.notRecounted, to = logTooShort, end
			if from >= to {
				continue
			}
		}
		if s, ok := spans[c.Partition]; ok {
			from, to = joint(span{from, to}, s)
		}
		spans[c.Partition] = span{from, to}
	}
	return spans, nil
}

// logTooShort is why a chain is lost that stands beyond the end of its log.
const logTooShort = "the log ends before the chain"

// joint returns what both lanes of a partition read next: what one of them skips is not read for the other.
func joint(a, b span) (from, to int64) {
	from, to = min(a.from, b.from), min(a.to, b.to)
	if to <= from {
		to = max(a.to, b.to)
	}
	return from, to
}

// take recounts one record in each lane that needs it.
func (v *verifier) take(k *kgo.Record) error {
	if k.Attrs.IsControl() {
		return nil
	}
	if lost := batch.RangeOf(k); lost != nil {
		v.takeRange(k, lost)
		return nil
	}
	var e event.Event
	reason := v.decode(k.Value, &e)
	var id []byte
	if reason == event.Accepted {
		id = identity(k, &e)
	}
	for _, lane := range checkpoint.Lanes {
		c := v.chains[checkpoint.ChainID{Partition: k.Partition, Lane: lane}]
		if c == nil {
			continue
		}
		position := k.Offset + c.head.Base
		if position < c.next && c.seen.forgotten && id != nil {
			c.seen.see(e.SiteID, id, k.Offset)
		}
		if position < c.next || position >= c.head.To {
			continue
		}
		c.next, c.seen.forgotten = position+1, false
		repeats := int64(0)
		if id != nil {
			repeats = c.seen.see(e.SiteID, id, k.Offset)
		}
		if position < c.first {
			if c.stats != nil && v.hashes.first() {
				v.leaveOut(becauseBefore, "record")
			}
			continue
		}
		ruled, erased := c.rulesAt(position).Site(string(e.SiteID)), c.rulesAt(position).Erased(string(e.SiteID))
		r := record{position: position, offset: k.Offset, partition: k.Partition, time: k.Timestamp.UnixMilli(), reason: reason, event: &e, id: id, rules: ruled, erased: erased}
		settings := c.settingsAt(position)
		if position-repeats < c.floorAt(position) {
			repeats = 0
		}
		r.duplicate = 0 < repeats && repeats <= settings.Duplicates
		c.sawRecord(&r)
		r.unsure = c.notRecounted != "" && repeats == 0 && id != nil && k.Offset-settings.Duplicates < v.starts[k.Partition]
		if c.realtime != nil {
			c.realtime.open = position >= c.head.From
			c.realtime.fold(&r, settings)
			continue
		}
		v.report.Records++
		if reason == event.Accepted {
			var err error
			if r.hour, r.day, err = bucketsOf(ruled, e.Timestamp); err != nil {
				return err
			}
		}
		c.stats.open = position >= c.head.From
		if err := c.stats.fold(&r, settings); err != nil {
			return err
		}
	}
	return nil
}

// takeRange recounts offsets of which no record can be read: all of them are rejected.
func (v *verifier) takeRange(k *kgo.Record, lost *batch.Range) {
	for _, lane := range checkpoint.Lanes {
		c := v.chains[checkpoint.ChainID{Partition: k.Partition, Lane: lane}]
		if c == nil {
			continue
		}
		position := k.Offset + c.head.Base
		if position < c.next || position >= c.head.To {
			continue
		}
		c.next = lost.Next + c.head.Base
		c.sawRange(position, c.next-1)
		switch {
		case c.stats == nil:
		case position < c.first:
			v.leaveOut(becauseBefore, "record")
		default:
			v.report.Records += lost.Records
			c.stats.totals.Rejected[event.Unreadable] += lost.Records
		}
	}
}

// sawRange notes as sawRecord does of a range of which no record can be read.
func (c *chain) sawRange(first, last int64) {
	if c.began < 0 {
		c.began = first
	}
	c.last = last
}

// sawRecord notes what the checkpoint says of its records.
func (c *chain) sawRecord(r *record) {
	if c.began < 0 {
		c.began = r.position
	}
	c.last = r.position
	if r.duplicate && r.position >= c.head.From {
		c.repeats++
	}
}

// decode examines a record's value. One that footfall itself fails over is rejected, as it is by the pipeline.
func (v *verifier) decode(value []byte, e *event.Event) (reason event.Reason) {
	defer func() {
		if recover() != nil {
			v.decoder, *e, reason = event.NewDecoder(), event.Event{}, event.Panicked
		}
	}()
	reason, _ = v.decoder.Decode(value, e)
	return reason
}

// order keeps the chains of the stats lane in the order of their partitions.
func (v *verifier) order() {
	v.stats = v.stats[:0]
	for _, c := range v.chains {
		if c.stats != nil {
			v.stats = append(v.stats, c)
		}
	}
	slices.SortFunc(v.stats, func(a, b *chain) int { return int(a.Partition) - int(b.Partition) })
}

// now is the time in seconds since the epoch.
func (v *verifier) now() int64 { return v.opts.Now().Unix() }

// wants reports whether a site is verified.
func (v *verifier) wants(site []byte) bool {
	if v.opts.Site != "" {
		return v.opts.Site == string(site)
	}
	if v.hashes == wholeTable && v.opts.SampleSites == 0 {
		return true
	}
	hash := siteHash(site)
	return v.hashes.has(hash) && (v.opts.SampleSites == 0 || sampled(hash, v.opts.SampleSites))
}

// inRange reports whether [start, end), in milliseconds, overlaps the span of event time that is verified.
func (v *verifier) inRange(start, end int64) bool {
	return (v.opts.From.IsZero() || end > v.opts.From.UnixMilli()) && (v.opts.To.IsZero() || start < v.opts.To.UnixMilli())
}

// expiry returns the times to live that an item may carry, under any settings that the chains had and the site's
// own: end is where its bucket ends, in milliseconds; attr names the retention. gone means that it has expired
// under one of them.
func (v *verifier) expiry(site, attr string, end int64) (gone bool, allowed []sinks.Value) {
	ruled := v.ruledBy(site)
	for _, s := range v.settings {
		for _, own := range ruled {
			gone, allowed = v.expireAfter(end, own.DaysOf(attr, retentionOf(s, attr)), gone, allowed)
		}
	}
	return gone, allowed
}

// expireAfter adds what a retention of so many days amounts to.
func (v *verifier) expireAfter(end, days int64, gone bool, allowed []sinks.Value) (bool, []sinks.Value) {
	if days == checkpoint.Never {
		return gone, append(allowed, sinks.Value{})
	}
	ttl := end/1000 + days*86400
	allowed = append(allowed, sinks.Int(ttl))
	if end%1000 != 0 {
		allowed = append(allowed, sinks.Int(ttl+1)) // Rounded up.
	}
	return gone || ttl <= v.now(), allowed
}

func retentionOf(s *checkpoint.Settings, attr string) int64 {
	switch attr {
	case sinks.AttrRawDays:
		return s.Retention.RawDays
	case sinks.AttrSessionDays:
		return s.Retention.SessionDays
	case sinks.AttrHourDays:
		return s.Retention.HourDays
	}
	return s.Retention.DayDays
}
