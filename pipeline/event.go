package pipeline

import "github.com/footfall/footfall/match"

// Event is a record's value, decoded and found well-formed. Its byte slices belong to the record or to the
// Decoder that filled it: copy what must outlive the next Decode (or see Hold), and change nothing in them. All
// texts are valid UTF-8. An absent field is nil, and no field that is there is empty.
type Event struct {
	SiteID, Type, ID                []byte
	VisitorID, SessionID, UserID    []byte
	URL, Referrer, Title, UserAgent []byte
	Name                            []byte
	Country, Region, City           []byte
	Device, Browser, OS             []byte
	Properties                      []byte // the JSON text of the object, as it came
	Timestamp                       int64  // event time, milliseconds since the epoch, 0 to MaxTimestamp
	Value                           int64  // millionths, below 10^15 in size
	HasValue                        bool
	Notes                           Notes
}

// MaxTimestamp is the last instant an event can have: the end of the year 9999.
const MaxTimestamp = 253402300799999

// EarliestEvent is the first event time that can be counted, also where lateness is off: the end of 1970. What is before
// are seconds that were taken for milliseconds, those of all years up to 2968.
const EarliestEvent = 365 * dayMs

// Notes are what was odd about an event without making it unusable. Each has a counter.
type Notes uint32

// The notes.
const (
	NoteUnusableField Notes = 1 << iota // an optional field had the wrong type or was too long, and counts as absent
	NoteCut                             // a url, referrer, title or userAgent was cut to its limit
	NoteUnknownKey                      // a key that is not in the schema was ignored
)

// Visitor returns what the event's visitor is known by in sketches, and the tag that keeps ids of visitors and
// of sessions that stand in for one apart: 'v' with the visitorId, else 's' with the sessionId.
func (e *Event) Visitor() (tag byte, id []byte) {
	if e.VisitorID != nil {
		return 'v', e.VisitorID
	}
	return 's', e.SessionID
}

// ShardID returns what decides the shard: the sessionId, or the visitorId where there is none.
func (e *Event) ShardID() []byte {
	if e.SessionID != nil {
		return e.SessionID
	}
	return e.VisitorID
}

// IsPageView reports whether the event is a page view.
func (e *Event) IsPageView() bool { return string(e.Type) == "page_view" }

// Page returns the path of the event's url without query and fragment, as [match.PageOf] does. It does not allocate.
func (e *Event) Page() []byte { return match.PageOf(e.URL) }

// A Reason says why a record was rejected. The set is closed: a new reason is a new fold version.
type Reason string

// The reasons, in the order in which a record is examined; the first that holds is its reason.
const (
	Accepted       Reason = ""
	TooLarge       Reason = "too_large"         // the value is over 64 KiB
	Empty          Reason = "empty"             // no value: a tombstone, or zero bytes
	BadJSON        Reason = "bad_json"          // not one strict JSON value: syntax, UTF-8, surrogates, duplicate keys, trailing bytes; nested over 64 deep, over 1,000 keys
	NotObject      Reason = "not_object"        // JSON, but not an object
	MissingSite    Reason = "missing_site"      // no siteId, or null or empty
	BadSite        Reason = "bad_site"          // siteId is not a string of 1 to 128 bytes
	MissingType    Reason = "missing_type"      // no type, or null or empty
	BadType        Reason = "bad_type"          // type is not a string of 1 to 64 bytes
	MissingTime    Reason = "missing_timestamp" // no timestamp, or null or empty
	BadTime        Reason = "bad_timestamp"     // neither RFC 3339 nor whole epoch milliseconds, or before 1970 or after 9999
	MissingVisitor Reason = "missing_visitor"   // neither a usable visitorId nor a usable sessionId
	BadRecordTime  Reason = "bad_record_time"   // the record's timestamp is beyond the last that its step believes
	TooLate        Reason = "too_late"          // further before its record's timestamp than the settings allow, or in 1970
	TooEarly       Reason = "too_early"         // further after its record's timestamp than the settings allow
	UnknownSite    Reason = "unknown_site"      // the site was deleted, or nobody has created it and the settings ask for that
	TooManySites   Reason = "too_many_sites"    // nobody has created the site, and in this hour as many are new as the settings allow
	Unreadable     Reason = "unreadable_batch"  // records of a batch that cannot be decompressed, as a range of offsets
	Panicked       Reason = "panicked"          // none of the above: footfall itself failed over it
)

// Duplicate is the verdict on a record that repeats another: no reason to reject it, since its event is counted.
const Duplicate Reason = "duplicate"

// Reasons lists every reason a record can be rejected for.
var Reasons = []Reason{TooLarge, Empty, BadJSON, NotObject, MissingSite, BadSite, MissingType, BadType,
	MissingTime, BadTime, MissingVisitor, BadRecordTime, TooLate, TooEarly, UnknownSite, TooManySites, Unreadable, Panicked}

// MaxRecordBytes is the largest value of a record that is decoded.
const MaxRecordBytes = 64 << 10
