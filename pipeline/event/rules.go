package event

import (
	"fmt"
	"math/bits"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks"
)

// finish makes the Event of a record from the values that were found, by the rules of their fields. Required fields come last, in the
// order of the reasons.
func (d *Decoder) finish(record []byte, e *Event) (Reason, string) {
	*e = Event{}
	d.assignPlain(record, e)
	for rest := d.others; rest != 0; rest &= rest - 1 {
		f := eventField(bits.TrailingZeros32(rest))
		e.assign(f, d.token(record, d.values[f]))
	}
	e.VisitorID, e.SessionID, e.UserID = e.person(e.VisitorID), e.person(e.SessionID), e.person(e.UserID)
	reason, detail := d.required(record, e)
	if reason != Accepted {
		*e = Event{}
	}
	return reason, detail
}

// assignPlain assigns the optional fields whose values are plain texts, as most are: no rule changes these.
func (d *Decoder) assignPlain(record []byte, e *Event) {
	e.ID = d.plain(record, fieldID)
	e.VisitorID = d.plain(record, fieldVisitorID)
	e.SessionID = d.plain(record, fieldSessionID)
	e.UserID = d.plain(record, fieldUserID)
	e.URL = d.plain(record, fieldURL)
	e.Referrer = d.plain(record, fieldReferrer)
	e.Title = d.plain(record, fieldTitle)
	e.UserAgent = d.plain(record, fieldUserAgent)
	e.Name = d.plain(record, fieldName)
	for i := range e.Given {
		e.Given[i] = d.plain(record, firstGiven+eventField(i))
	}
}

func (d *Decoder) plain(record []byte, f eventField) []byte {
	if s := &d.values[f]; s.kind == plainText {
		return record[s.from:s.to:s.to]
	}
	return nil
}

// assign applies the rule of a field to its value. Required fields are for required to judge.
func (e *Event) assign(f eventField, t jsonToken) {
	switch f {
	case fieldUnknown:
		e.Notes |= NoteUnknownKey
	case fieldID:
		e.ID = e.whole(t, maxIDBytes)
	case fieldVisitorID:
		e.VisitorID = e.whole(t, maxIDBytes)
	case fieldSessionID:
		e.SessionID = e.whole(t, maxIDBytes)
	case fieldUserID:
		e.UserID = e.whole(t, maxIDBytes)
	case fieldURL:
		e.URL = e.cut(t, maxURLBytes)
	case fieldReferrer:
		e.Referrer = e.cut(t, maxURLBytes)
	case fieldTitle:
		e.Title = e.cut(t, maxTitleBytes)
	case fieldUserAgent:
		e.UserAgent = e.cut(t, maxUserAgentBytes)
	case fieldName:
		e.Name = e.whole(t, maxNameBytes)
	case fieldValue:
		e.decimal(t)
	case fieldProperties:
		e.properties(t)
	default:
		if f >= firstGiven {
			e.Given[f-firstGiven] = e.whole(t, maxDimensionBytes)
		}
	}
}

// optional returns the text of an optional string: nil for null and for the empty string, which many
// producers write for "none", and nil with a note for any other type.
func (e *Event) optional(t jsonToken) []byte {
	if t.kind != '"' {
		if t.kind != 'n' {
			e.Notes |= NoteUnusableField
		}
		return nil
	}
	if len(t.text) == 0 {
		return nil
	}
	return t.text
}

// whole returns an optional text that means nothing when it is cut: one that is too long is unusable. Cutting
// would make two ids or two goals one.
func (e *Event) whole(t jsonToken, maxBytes int) []byte {
	s := e.optional(t)
	if len(s) > maxBytes {
		e.Notes |= NoteUnusableField
		return nil
	}
	return s
}

// cut returns an optional text, cut to its limit.
func (e *Event) cut(t jsonToken, maxBytes int) []byte {
	s := e.optional(t)
	if len(s) > maxBytes {
		e.Notes |= NoteCut
		return Truncate(s, maxBytes)
	}
	return s
}

// Truncate returns the longest beginning of s, valid UTF-8, that has at most maxBytes and ends between two runes.
func Truncate(s []byte, maxBytes int) []byte {
	if len(s) <= maxBytes {
		return s
	}
	n := maxBytes
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n:n]
}

// IsPlaceholder reports whether an id of a visitor, session or user is a word that scripts send where they have no id. It counts as
// absent: as an id it would be one visitor with the events of all who have none.
func IsPlaceholder(id []byte) bool {
	switch string(id) {
	case "undefined", "null", "0", "anonymous", "00000000-0000-0000-0000-000000000000":
		return true
	}
	return false
}

// person returns the id of a visitor, session or user; nil: there is none.
func (e *Event) person(id []byte) []byte {
	if IsPlaceholder(id) {
		return nil
	}
	if sinks.IsVisitID(id) { // Ours alone: a producer's would be taken for a visit that we found.
		e.Notes |= NoteUnusableField
		return nil
	}
	return id
}

func (e *Event) decimal(t jsonToken) {
	switch t.kind {
	case '0':
		e.Value, e.HasValue = parseMillionths(t.text)
		if !e.HasValue {
			e.Notes |= NoteUnusableField
		}
	case 'n':
	default:
		e.Notes |= NoteUnusableField
	}
}

func (e *Event) properties(t jsonToken) {
	switch {
	case t.kind == '{' && !t.deep && len(t.text) <= maxPropertiesBytes:
		e.Properties = t.text
	case t.kind != 'n':
		e.Notes |= NoteUnusableField
	}
}

func (d *Decoder) required(record []byte, e *Event) (Reason, string) {
	site, kind := d.token(record, d.values[fieldSiteID]), d.token(record, d.values[fieldType])
	switch {
	case site.absent():
		return MissingSite, "siteId is " + site.describe()
	case site.kind != '"' || len(site.text) > maxSiteBytes:
		return BadSite, fmt.Sprintf("siteId is %s, want a string of 1 to %d bytes", site.describe(), maxSiteBytes)
	case kind.absent():
		return MissingType, "type is " + kind.describe()
	case kind.kind != '"' || len(kind.text) > maxTypeBytes:
		return BadType, fmt.Sprintf("type is %s, want a string of 1 to %d bytes", kind.describe(), maxTypeBytes)
	}
	time := d.token(record, d.values[fieldTimestamp])
	if time.absent() {
		return MissingTime, "timestamp is " + time.describe()
	}
	ms, ok := parseTimestamp(time)
	if !ok {
		return BadTime, fmt.Sprintf("timestamp is %s, want RFC 3339 as in \"2026-05-12T14:03:00Z\" or whole milliseconds "+
			"since 1970 as a number, from 1970 to 9999", time.describe())
	}
	if e.VisitorID == nil && e.SessionID == nil {
		return MissingVisitor, fmt.Sprintf("neither visitorId nor sessionId is a string of 1 to %d bytes that identifies a visitor", maxIDBytes)
	}
	e.SiteID, e.Type, e.Timestamp = site.text, kind.text, ms
	return Accepted, ""
}

// absent reports whether a field is not there, null, or an empty string.
func (t jsonToken) absent() bool {
	return t.kind == 0 || t.kind == 'n' || t.kind == '"' && len(t.text) == 0
}

// describe says in a detail what a field holds.
func (t jsonToken) describe() string {
	switch t.kind {
	case 0:
		return "not there (keys match in exact case)"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		if len(t.text) == 0 {
			return "an empty string"
		}
		const shown = 40
		if len(t.text) > shown {
			return fmt.Sprintf("a string of %d bytes, %q...", len(t.text), Truncate(t.text, shown))
		}
		return fmt.Sprintf("%q", t.text)
	}
	return TruncateDetail(string(t.text))
}
