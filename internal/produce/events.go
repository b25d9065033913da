package produce

import (
	"time"

	"github.com/footfall/footfall/internal/eventjson"
)

// Events is the format of our own events: one JSON object a line, sent as it is, byte for byte. A line is refused
// when it is not one strict JSON object, or has no siteId to make a key of, or a timestamp in 1970, as seconds taken for
// milliseconds are, or with NeedTime no timestamp that can be read. All else is the pipeline's to judge.
type Events struct {
	Buckets  int    // of the key
	NeedTime bool   // the record's time is to be the event's: a timestamp that cannot be read is a reason to refuse
	Untimed  string // is added to that reason

	json    eventjson.Reader
	members []eventjson.Member
}

func (f *Events) record(line []byte) (Record, string) {
	var reason string
	f.members, reason = f.json.Object(f.members[:0], line)
	if reason != "" {
		return Record{}, reason
	}
	site, ok := eventjson.Unquote(eventjson.Find(f.members, "siteId"))
	if !ok || site == "" {
		return Record{}, "siteId: the event has none, or it is not a string"
	}
	timestamp := eventjson.Find(f.members, "timestamp")
	when, reason := eventjson.ParseTime(timestamp)
	if reason != "" && f.NeedTime {
		return Record{}, "timestamp: " + reason + f.Untimed
	}
	if reason == "" {
		if reason = eventjson.LooksLikeSeconds(timestamp, when, "send milliseconds, for instance by jq -c '.timestamp *= 1000'"); reason != "" {
			return Record{}, "timestamp: " + reason
		}
	}
	r := Record{Value: line, Time: when, SiteID: site}
	r.Type, _ = eventjson.Unquote(eventjson.Find(f.members, "type"))
	r.ID, _ = eventjson.Unquote(eventjson.Find(f.members, "id"))
	visitor, _ := eventjson.Unquote(eventjson.Find(f.members, "visitorId"))
	if visitor == "" {
		visitor, _ = eventjson.Unquote(eventjson.Find(f.members, "sessionId"))
	}
	r.Key = Key(site, visitor, f.Buckets)
	return r, ""
}

func (f *Events) when(line []byte) (time.Time, bool) {
	members, reason := f.json.Object(f.members[:0], line)
	if f.members = members; reason != "" {
		return time.Time{}, false
	}
	when, reason := eventjson.ParseTime(eventjson.Find(members, "timestamp"))
	return when, reason == ""
}
