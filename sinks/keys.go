package sinks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/sinks/internal/ids"
)

// Shard counts.
const (
	SiteListShards = 16 // partitions of the list of sites
	DefaultShards  = 16 // shards of a site's raw events, and of a table's sessions, unless chosen otherwise
	MaxShards      = 64 // two digits
)

// Keys spells the keys of one generation of items. The zero value spells the first. Rebuilt items live beside the
// live ones under a later generation; see [GenerationError]. What is decided about sites, the list of sites and raw events belong to all
// generations: they are not made of the others' sums. Keys keeps the promise "tenants never meet": a variable segment is
// escaped, so no pair of ids can spell another site's key, and shortened with a hash of the whole where it would
// pass 256 bytes, so no id can pass the store's limits.
type Keys struct {
	Generation int // 0 and 1: the first, which is spelled as nothing
}

func (k Keys) pk(s string) string {
	if k.Generation > 1 {
		return "G" + strconv.Itoa(k.Generation) + "#" + s
	}
	return s
}

// generation splits the mark of a generation from a partition key.
func generation(pk string) (Keys, string) {
	first, rest, ok := strings.Cut(pk, "#")
	n, err := strconv.Atoi(strings.TrimPrefix(first, "G"))
	if k := (Keys{Generation: n}); ok && err == nil && k.pk(rest) == pk {
		return k, rest
	}
	return Keys{}, pk
}

// isGeneration reports whether a segment spells a generation of items, as in G2.
func isGeneration(segment string) bool {
	return len(segment) > 1 && segment[0] == 'G' && strings.Trim(segment[1:], "0123456789") == ""
}

// Table settings and topics. They belong to the table, not to a generation.

// TableSettings is where the table keeps what must never change.
func (k Keys) TableSettings() Key { return Key{pipelinePK, "TABLE"} }

const (
	pipelinePK   = "PIPELINE"
	schemaPrefix = "SCHEMA#"
)

// Topic is where a generation keeps a topic's number, which no other generation has: marks and packs never meet those of another one.
func (k Keys) Topic(topic string) Key {
	return Key{k.pk(pipelinePK), "TOPIC#" + ids.Escape(topic)}
}

// SchemaKey is where the table keeps what the id of a schema means in a topic, for all generations.
func SchemaKey(topic, id string) Key {
	return Key{pipelinePK, schemaPrefix + ids.Escape(topic) + "#" + id}
}

// Topics are all topics of a generation: query the partition key with the prefix.
func (k Keys) Topics() (pk, prefix string) { return k.pk(pipelinePK), "TOPIC#" }

// Rules is where the table keeps a revision of the rules of sites, 1 or more. They belong to the table, as its settings do.
func (k Keys) Rules(rev int64) Key { return Key{"RULES", fmt.Sprintf("%012d", rev)} }

// RulesAfter is the partition key of all revisions, and the sort key of the revision after rev; revisions are in the order of these keys.
func (k Keys) RulesAfter(rev int64) (pk, from string) {
	next := k.Rules(rev + 1)
	return next.PK, next.SK
}

// Erasure is where the table keeps how far the erasure of a revision of the rules has come, which is of all generations.
func (k Keys) Erasure(rev int64) Key { return Key{pipelinePK, fmt.Sprintf("ERASE#%012d", rev)} }

// Purge is where the table keeps how far the purge of a site by a revision of the rules has come, which is of all generations.
func (k Keys) Purge(rev int64) Key { return Key{pipelinePK, fmt.Sprintf("PURGE#%012d", rev)} }

// RulesEnd sorts behind every revision.
func (k Keys) RulesEnd() string { return "~" }

// Token is where the table keeps an access token or a share link of footfall serve. They belong to the table, not to a generation: who may
// read does not change when items are rebuilt.
func (k Keys) Token(id string) Key { return Key{k.Tokens(), ids.Escape(id)} }

// Tokens is the partition key of all tokens.
func (k Keys) Tokens() string { return "TOKENS" }

// Verification is where the table keeps the result of a recount of a site that began at an instant, in milliseconds since the epoch; site
// "": of all sites. Verifications belong to the table, not to a generation.
func (k Keys) Verification(site string, at int64) Key {
	pk, prefix := k.Verifications(site)
	return Key{pk, prefix + InstantBound(at)}
}

// Verifications are those of a site, the oldest first: query the partition key with the prefix. Site "": those of all sites.
func (k Keys) Verifications(site string) (pk, prefix string) {
	return VerificationsPK, ids.Escape(site) + "#"
}

// VerificationsPK is the partition key of all verifications.
const VerificationsPK = "VERIFICATIONS"

// Annotation is where the table keeps an annotation of a site. They belong to the table, not to a generation.
func (k Keys) Annotation(site, id string) Key {
	pk, prefix := k.Annotations(site)
	return Key{pk, prefix + ids.Escape(id)}
}

// Annotations are those of a site, by their instants: query the partition key with the prefix, which an [InstantBound] may follow.
func (k Keys) Annotations(site string) (pk, prefix string) {
	return AnnotationsPK, ids.Escape(site) + "#"
}

// AnnotationsPK is the partition key of all annotations.
const AnnotationsPK = "ANNOTATIONS"

// Checkpoint is the head of the chain of a partition and lane.
func (k Keys) Checkpoint(tp TP, lane string) Key {
	return Key{k.pk("CHAIN#" + strconv.FormatInt(tp.Topic, 10)), fmt.Sprintf("P#%d#%s", tp.Partition, lane)}
}

// Checkpoints are all checkpoints and chain histories of a topic: query the partition key with the prefix.
func (k Keys) Checkpoints(topic int64) (pk, prefix string) {
	return k.pk("CHAIN#" + strconv.FormatInt(topic, 10)), "P#"
}

// History is the record of what held from step on.
func (k Keys) History(tp TP, lane string, step int64) Key {
	key := k.Checkpoint(tp, lane)
	return Key{key.PK, fmt.Sprintf("%s#%016d", key.SK, step)}
}

// Histories are all histories of one chain, in order: query the partition key with the prefix.
func (k Keys) Histories(tp TP, lane string) (pk, prefix string) {
	key := k.Checkpoint(tp, lane)
	return key.PK, key.SK + "#"
}

// Replay is where the replay of one partition of a failed-events topic stands; tp is the topic that its records came
// from and are published to again, by its number in the first generation, with the partition of the failed-events topic. It belongs to
// the table: what was published once is in the topic, whichever generation counts that.
func (k Keys) Replay(tp TP, failed string) Key {
	return Key{"CHAIN#" + strconv.FormatInt(tp.Topic, 10), fmt.Sprintf("REPLAY#%s#%d", ids.Escape(failed), tp.Partition)}
}

// Lost is the key of a lost span in the history of a chain; see LostSpan.
func (k Keys) Lost(tp TP, lane, id string) Key {
	return Key{k.pk("CHAIN#" + strconv.FormatInt(tp.Topic, 10)), fmt.Sprintf("LOST#%d#%s#%s", tp.Partition, lane, id)}
}

// LostSpans selects the lost spans of all chains of a topic: query the partition key with the prefix.
func (k Keys) LostSpans(topic int64) (pk, prefix string) {
	return k.pk("CHAIN#" + strconv.FormatInt(topic, 10)), "LOST#"
}

// Damaged is the key of the copy of a damaged item; id is that of the lost span.
func (k Keys) Damaged(of Key, id string) Key {
	return Key{k.pk("DAMAGED#" + ids.Escape(of.PK+" "+of.SK)), id}
}

// NewSites is where a partition and lane counts the sites that it has admitted in the latest hour.
func (k Keys) NewSites(tp TP, lane string) Key {
	return Key{k.pk("CHAIN#" + strconv.FormatInt(tp.Topic, 10)), fmt.Sprintf("NEWSITES#%d#%s", tp.Partition, lane)}
}

// NewSitesOf are those of all partitions and lanes of a topic: query the partition key with the prefix.
func (k Keys) NewSitesOf(topic int64) (pk, prefix string) {
	return k.pk("CHAIN#" + strconv.FormatInt(topic, 10)), "NEWSITES#"
}

// SiteEntry is a site's entry in the list of sites. The list belongs to the table: each generation has marks of its own in an entry.
func (k Keys) SiteEntry(site string) Key {
	nn := xxhash.Sum64String(site) % SiteListShards
	return Key{k.SiteList(int(nn)), ids.Escape(site)}
}

// SiteList is the partition key of one shard of the list of sites, 0 to SiteListShards-1.
func (k Keys) SiteList(nn int) string { return fmt.Sprintf(siteListPrefix+"%02d", nn) }

// Site is the partition key of what readers of a site ask for most.
func (k Keys) Site(site string) string { return k.pk(sitePrefix + ids.Escape(site)) }

// Decided is the partition key of what is decided about a site. It belongs to the table, not to a generation.
func Decided(site string) string { return sitePrefix + ids.Escape(site) }

const (
	sitePrefix     = "SITE#"
	siteListPrefix = "SITES#"
)

// Metadata is what is known about a site.
func (k Keys) Metadata(site string) Key { return Key{Decided(site), "METADATA"} }

// Budget is what a partition has spent of a site's budget of events a second.
func (k Keys) Budget(site string, tp TP) Key { return Key{k.Site(site), BudgetPrefix + tp.String()} }

// BudgetPrefix is how the sort keys of budgets begin.
const BudgetPrefix = "BUDGET#"

// Funnel is a funnel's definition.
func (k Keys) Funnel(site, funnel string) Key {
	return Key{Decided(site), funnelPrefix + ids.Escape(funnel)}
}

// Funnels are all funnels of a site, by id: query the partition key with the prefix.
func (k Keys) Funnels(site string) (pk, prefix string) { return Decided(site), funnelPrefix }

const funnelPrefix = "FUNNEL#"

// SegmentKey is where the table keeps a segment of a site.
func SegmentKey(site, name string) Key { return Key{Decided(site), SegmentPrefix + ids.Escape(name)} }

// SegmentPrefix is how the sort keys of all segments of a site begin, which lie under [Decided].
const SegmentPrefix = "SEGMENT#"

// Owner is the partition key of GSI1 that lists an owner's sites; the sort key is Decided(site).
func (k Keys) Owner(owner string) string { return "OWNER#" + ids.Escape(owner) }

// RawShard is the partition key of one shard of a site's raw events, which belong to the table: what was recorded once is the same in
// every generation.
func RawShard(site string, nn int) string { return Keys{}.Shard(site, nn) }

// Shard is the partition key of one shard of a site's sessions.
func (k Keys) Shard(site string, nn int) string {
	var room [keyRoom]byte
	return string(k.appendShard(room[:0], site, nn))
}

func (k Keys) appendShard(b []byte, site string, nn int) []byte {
	b = append(append(append(append(b, k.pk("")...), sitePrefix...), ids.Escape(site)...), "#SHARD#"...)
	if nn < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(nn), 10)
}

// ShardOf returns the shard, of n, of a session's or visitor's events: xxh64 with seed 0 of the sessionId, or of
// the visitorId where there is no session. A visit lies in the shard of its visitor. It never changes.
func ShardOf(sessionOrVisitor string, n int) int {
	if visit, ok := ParseVisitID(sessionOrVisitor); ok {
		return int(visit.Visitor % uint64(n))
	}
	return int(xxhash.Sum64String(sessionOrVisitor) % uint64(n))
}

// Event is a raw event; ulid is its 26 characters.
func (k Keys) Event(site string, nn int, ulid string) Key {
	return Key{RawShard(site, nn), "EVENT#" + ulid}
}

// EventPrefix is how the sort keys of raw events begin.
const EventPrefix = "EVENT#"

// Pack is the i-th pack of raw events that step k of a partition wrote for a shard and a day; ulid is that of its first event. See
// package pack.
func (k Keys) Pack(site string, nn int, ulid string, tp TP, step int64, i int) Key {
	return Key{RawShard(site, nn), fmt.Sprintf("%s%s#%s#%d#%d", PackPrefix, ulid, tp, step, i)}
}

// PackPrefix is how the sort keys of packs begin.
const PackPrefix = "PACK#"

// ParsePack reads the sort key of a pack.
func ParsePack(sk string) (ulid string, tp TP, step int64, i int, err error) {
	parts := strings.Split(sk, "#")
	if len(parts) != 5 || !strings.HasPrefix(sk, PackPrefix) {
		return "", TP{}, 0, 0, fmt.Errorf("%q is not the sort key of a pack", sk)
	}
	if tp, err = ParseTP(parts[2]); err != nil {
		return "", TP{}, 0, 0, err
	}
	if step, err = strconv.ParseInt(parts[3], 10, 64); err != nil {
		return "", TP{}, 0, 0, err
	}
	i, err = strconv.Atoi(parts[4])
	return parts[1], tp, step, i, err
}
