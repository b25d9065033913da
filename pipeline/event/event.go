package event

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/urlquery"
)

// Event is a record's value, decoded and found well-formed. Its byte slices belong to the record or to the
// Decoder that filled it: copy what must outlive the next Decode (or see Hold), and change nothing in them. All
// texts are valid UTF-8. An absent field is nil, and no field that is there is empty.
type Event struct {
	SiteID, Type, ID                []byte
	VisitorID, SessionID, UserID    []byte
	URL, Referrer, Title, UserAgent []byte
	Name                            []byte
	Given                           [len(figures.Given)][]byte // dimensions: [figures.GivenCountry] and so on
	Properties                      []byte                     // the JSON text of the object, as it came
	Timestamp                       int64                      // event time, milliseconds since the epoch, 0 to MaxTimestamp
	Value                           int64                      // millionths, below 10^15 in size
	HasValue                        bool
	Notes                           Notes
}

// MaxTimestamp is the last instant an event can have: the end of the year 9999.
const MaxTimestamp = 253402300799999

// EarliestEvent is the first event time that can be counted, also where lateness is off: the end of 1970. What is before
// are seconds that were taken for milliseconds, those of all years up to 2968.
const EarliestEvent = 365 * DayMs

// Notes are what was odd about an event without making it unusable. Each has a counter.
type Notes uint32

// The notes.
const (
	NoteUnusableField Notes = 1 << iota // an optional field had the wrong type or was too long, and counts as absent
	NoteCut                             // a url, referrer, title or userAgent was cut to its limit
	NoteUnknownKey                      // a key that is not in the schema was ignored

	AllNotes = NoteUnusableField | NoteCut | NoteUnknownKey
)

// Names spells the notes, as metrics and docs/events.md do.
func (n Notes) Names() (names []string) {
	for i, name := range []string{"unusable_field", "cut", "unknown_key"} {
		if n&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Visitor returns what the event's visitor is known by in sketches, and the tag that keeps ids of visitors and
// of sessions that replace one apart: 'v' with the visitorId, else 's' with the sessionId.
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

// Page returns the path of the event's url without query and fragment, as [urlquery.Page] does. It does not allocate.
func (e *Event) Page() []byte { return urlquery.Page(e.URL) }

// MaxRecordBytes is the largest value of a record that is decoded.
const MaxRecordBytes = 64 << 10
