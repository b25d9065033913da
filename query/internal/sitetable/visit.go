package sitetable

import (
	"context"
	"fmt"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// Belonging returns a function that reports whether the item of a raw event belongs to a session; "" is any. The events of a visit do
// not name it. They are its visitor's events without a sessionId that its partition saw within the visit's span, to which the caller
// restricts the items. Events of detected bots are in no visit. If two visits of one visitor overlap, both have these events.
func (t *Store) Belonging(ctx context.Context, session string) (func(sinks.Item) bool, error) {
	visit, ok := sinks.ParseVisitID(session)
	if !ok {
		return func(it sinks.Item) bool { return session == "" || it[sinks.AttrSessionID].Str() == session }, nil
	}
	topic, ok, err := sinks.TopicNamed(ctx, t.Table, t.Keys, visit.TP.Topic)
	if err != nil || !ok {
		return func(sinks.Item) bool { return false }, err
	}
	partition := fmt.Sprintf("%s/%d/", topic, visit.TP.Partition) // A source is topic/partition/offset.
	return func(it sinks.Item) bool {
		return it[sinks.AttrSessionID].Str() == "" && sinks.VisitorHash(it[sinks.AttrVisitorID].Str()) == visit.Visitor &&
			it[sinks.AttrBot].Kind() == sinks.None && strings.HasPrefix(it["source"].Str(), partition)
	}, nil
}
