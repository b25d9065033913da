package sinks

import (
	"strconv"

	"github.com/footfall/footfall/sinks/internal/ids"
)

// Keys of sessions, visitors and users, and of the lists of sessions.

// SessionPrefix is how the sort keys of sessions begin.
const SessionPrefix = "SESSION#"

// Session is the state and figures of a session as one partition saw it; shards is the table's number of shards
// of sessions.
func (k Keys) Session(site, session string, tp TP, shards int) Key {
	var room [2 * keyRoom]byte
	b, sk := k.AppendSession(room[:0], site, session, tp, shards)
	text := string(b)
	return Key{PK: text[:sk], SK: text[sk:]}
}

// AppendSession appends what Session returns: the partition key and then, from b[sk] on, the sort key.
func (k Keys) AppendSession(b []byte, site, session string, tp TP, shards int) (key []byte, sk int) {
	b = k.appendShard(b, site, ShardOf(session, shards))
	sk = len(b)
	b = append(ids.AppendID(append(b, SessionPrefix...), session), '#')
	return tp.append(b), sk
}

// Sessions are the parts of one session that the partitions saw: query the partition key with the prefix.
func (k Keys) Sessions(site, session string, shards int) (pk, prefix string) {
	return k.Shard(site, ShardOf(session, shards)), "SESSION#" + ids.EscapeID(session) + "#"
}

// VisitorPrefix is how the sort keys of visitors begin.
const VisitorPrefix = "VISITOR#"

// VisitorState is what one partition knows of a visitor's last visits; shards is the table's number of shards of sessions.
func (k Keys) VisitorState(site, visitor string, tp TP, shards int) Key {
	var room [keyRoom]byte
	b := append(ids.AppendID(append(room[:0], VisitorPrefix...), visitor), '#')
	return Key{k.Shard(site, ShardOf(visitor, shards)), string(tp.append(b))}
}

// VisitorStates are what all partitions know of one visitor's last visits: query the partition key with the prefix.
func (k Keys) VisitorStates(site, visitor string, shards int) (pk, prefix string) {
	return k.Shard(site, ShardOf(visitor, shards)), VisitorPrefix + ids.EscapeID(visitor) + "#"
}

// ArrivalPrefix is how the sort keys of arrivals begin.
const ArrivalPrefix = "ARRIVAL#"

// Arrival is when a visitor arrived at a site, as one partition saw it; hash is of the visitor, in hexadecimal, and shards is the table's
// number of shards of sessions.
func (k Keys) Arrival(site, hash string, tp TP, shards int) Key {
	return Key{k.Shard(site, ShardOf(hash, shards)), ArrivalPrefix + hash + "#" + tp.String()}
}

// Arrivals are what all partitions say of one visitor's arrival: query the partition key with the prefix.
func (k Keys) Arrivals(site, hash string, shards int) (pk, prefix string) {
	return k.Shard(site, ShardOf(hash, shards)), ArrivalPrefix + hash + "#"
}

// User is the partition key of GSI1 that lists a user's sessions.
func (k Keys) User(site, user string) string {
	var room [keyRoom]byte
	return string(k.AppendUser(room[:0], site, user))
}

// AppendUser appends what User returns.
func (k Keys) AppendUser(b []byte, site, user string) []byte {
	b = append(append(append(append(b, k.pk("")...), sitePrefix...), ids.Escape(site)...), "#USER#"...)
	return ids.AppendID(b, user)
}

// SessionOrder is the sort key of a session in GSI1, and its place in the lists by visitor: by openedAt, milliseconds since the epoch,
// then in an order that says nothing.
// Two sessions may, very rarely, share one.
func SessionOrder(openedAt int64, session string, tp TP) string {
	var room [instantBytes + 1 + tieBytes]byte
	return string(AppendSessionOrder(room[:0], openedAt, session, tp))
}

// AppendSessionOrder appends what SessionOrder returns.
func AppendSessionOrder(b []byte, openedAt int64, session string, tp TP) []byte {
	return appendTie(append(appendInstant(b, openedAt), '#'), session, tp)
}

// Recent is the i-th item of new sessions that step k of a partition found to be opened in a minute.
func (k Keys) Recent(site string, minute int64, tp TP, step int64, i int) Key {
	var room [keyRoom]byte
	return Key{k.RecentList(site), string(appendRecent(room[:0], minute, tp, step, i))}
}

func appendRecent(b []byte, minute int64, tp TP, step int64, i int) []byte {
	b = tp.append(append(appendMinute(b, minute), '#'))
	b = strconv.AppendInt(append(b, '#'), step, 10)
	return strconv.AppendInt(append(b, '#'), int64(i), 10)
}

// RecentList is the partition key of a site's recent sessions; the sort keys begin with Minute.
func (k Keys) RecentList(site string) string { return k.Site(site) + recentSuffix }

const recentSuffix = "#RECENT"

// NewSessionsPrefix is how the sort keys of new sessions begin, which lie among the lists by visitor.
const NewSessionsPrefix = "NEW#"

// NewSessions is the item that names the few new sessions of step k of a partition, those of an hour in UTC. minute is the last in which
// one of them was opened.
func (k Keys) NewSessions(site string, minute int64, tp TP, step int64) Key {
	var room [keyRoom]byte
	b := tp.append(append(appendMinute(append(room[:0], NewSessionsPrefix...), minute), '#'))
	return Key{k.VisitorList(site), string(strconv.AppendInt(append(b, '#'), step, 10))}
}

// VisitorSessions is the i-th item of a bucket in which step k of a partition lists sessions of visitors. They were opened in an hour in
// UTC.
func (k Keys) VisitorSessions(site string, b VisitorBucket, hour int64, tp TP, step int64, i int) Key {
	var room [2 * keyRoom]byte
	key := append(append(append(append(room[:0], k.pk("")...), sitePrefix...), ids.Escape(site)...), visitorListSuffix...)
	sk := len(key)
	key = append(b.append(key), '#')
	key = tp.append(append(appendHour(key, hour), '#'))
	key = strconv.AppendInt(append(key, '#'), step, 10)
	text := string(strconv.AppendInt(append(key, '#'), int64(i), 10))
	return Key{PK: text[:sk], SK: text[sk:]}
}

// VisitorList is the partition key of a site's sessions by visitor; the sort keys begin with a bucket and Hour, or with NewSessionsPrefix
// and Minute.
func (k Keys) VisitorList(site string) string { return k.Site(site) + visitorListSuffix }

const visitorListSuffix = "#VISITORS"
