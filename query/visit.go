package query

import (
	"strconv"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// belonging returns what tells whether the item of a raw event belongs to a session; "" is any. The events of a visit do not
// name it: they are those of its visitor without a sessionId that its partition saw, within the visit's span, which the
// caller keeps to. Where two visits of one visitor overlap, that is the events of both.
func belonging(session string) func(sinks.Item) bool {
	visit, ok := sinks.ParseVisitID(session)
	if !ok {
		return func(it sinks.Item) bool { return session == "" || it[sinks.AttrSessionID].Str() == session }
	}
	partition := strconv.Itoa(int(visit.TP.Partition))
	return func(it sinks.Item) bool {
		source := strings.Split(it["source"].Str(), "/") // topic/partition/offset
		return it[sinks.AttrSessionID].Str() == "" && sinks.VisitorHash(it[sinks.AttrVisitorID].Str()) == visit.Visitor &&
			len(source) == 3 && source[1] == partition
	}
}
