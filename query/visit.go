package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// belonging returns what tells whether the item of a raw event belongs to a session; "" is any. The events of a visit do not
// name it: they are those of its visitor without a sessionId that its partition saw, within the visit's span, which the
// caller keeps to. Bots' are not among them, whether a list that ships, one of the site's own or the rate tells: they were
// booked to no visit. Where two visits of one visitor overlap, that is the events of both.
func (t *store) belonging(ctx context.Context, session string) (func(sinks.Item) bool, error) {
	visit, ok := sinks.ParseVisitID(session)
	if !ok {
		return func(it sinks.Item) bool { return session == "" || it[sinks.AttrSessionID].Str() == session }, nil
	}
	topic, ok, err := sinks.TopicNamed(ctx, t.table, t.keys, visit.TP.Topic)
	if err != nil || !ok {
		return func(sinks.Item) bool { return false }, err
	}
	partition := fmt.Sprintf("%s/%d/", topic, visit.TP.Partition) // A source is topic/partition/offset.
	return func(it sinks.Item) bool {
		return it[sinks.AttrSessionID].Str() == "" && sinks.VisitorHash(it[sinks.AttrVisitorID].Str()) == visit.Visitor &&
			it[sinks.AttrBot].Kind() == sinks.None && strings.HasPrefix(it["source"].Str(), partition)
	}, nil
}
