package event

import (
	"fmt"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks"
)

// The limits of an event's fields, in bytes.
const (
	maxSiteBytes       = 128
	maxTypeBytes       = 64
	maxIDBytes         = 256
	maxURLBytes        = 2 << 10
	maxTitleBytes      = 512
	maxUserAgentBytes  = 1 << 10
	maxNameBytes       = 128
	maxDimensionBytes  = 64
	maxPropertiesBytes = 16 << 10
	maxPropertiesDepth = 32 // the object itself is 1 deep
)

// eventField is a key of the schema.
type eventField uint8

const (
	fieldUnknown eventField = iota
	fieldSiteID
	fieldType
	fieldTimestamp
	fieldID
	fieldVisitorID
	fieldSessionID
	fieldUserID
	fieldURL
	fieldReferrer
	fieldTitle
	fieldUserAgent
	fieldName
	fieldValue
	fieldCountry
	fieldRegion
	fieldCity
	fieldDevice
	fieldBrowser
	fieldOS
	fieldProperties
	fieldCount // how many there are, fieldUnknown included
)

// fieldOf returns the field that a key names, in exact case.
func fieldOf(key []byte) eventField {
	switch string(key) {
	case "siteId":
		return fieldSiteID
	case "type":
		return fieldType
	case "timestamp":
		return fieldTimestamp
	case "id":
		return fieldID
	case "visitorId":
		return fieldVisitorID
	case "sessionId":
		return fieldSessionID
	case "userId":
		return fieldUserID
	case "url":
		return fieldURL
	case "referrer":
		return fieldReferrer
	case "title":
		return fieldTitle
	case "userAgent":
		return fieldUserAgent
	case "name":
		return fieldName
	case "value":
		return fieldValue
	case "country":
		return fieldCountry
	case "region":
		return fieldRegion
	case "city":
		return fieldCity
	case "device":
		return fieldDevice
	case "browser":
		return fieldBrowser
	case "os":
		return fieldOS
	case "properties":
		return fieldProperties
	}
	return fieldUnknown
}

// assign applies a field's rule. Of a required field it only keeps the token, for finish.
func (d *Decoder) assign(e *Event, f eventField, t jsonToken) {
	switch f {
	case fieldUnknown:
		e.Notes |= NoteUnknownKey
	case fieldSiteID:
		d.site = t
	case fieldType:
		d.kind = t
	case fieldTimestamp:
		d.time = t
	case fieldID:
		e.ID = e.whole(t, maxIDBytes)
	case fieldVisitorID:
		e.VisitorID = e.personID(t)
	case fieldSessionID:
		e.SessionID = e.personID(t)
	case fieldUserID:
		e.UserID = e.personID(t)
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
	case fieldCountry:
		e.Country = e.whole(t, maxDimensionBytes)
	case fieldRegion:
		e.Region = e.whole(t, maxDimensionBytes)
	case fieldCity:
		e.City = e.whole(t, maxDimensionBytes)
	case fieldDevice:
		e.Device = e.whole(t, maxDimensionBytes)
	case fieldBrowser:
		e.Browser = e.whole(t, maxDimensionBytes)
	case fieldOS:
		e.OS = e.whole(t, maxDimensionBytes)
	case fieldProperties:
		e.properties(t)
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

// personID returns an id of a visitor, session or user; nil: there is none.
func (e *Event) personID(t jsonToken) []byte {
	id := e.whole(t, maxIDBytes)
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

// finish applies the rules of the required fields, in the order of the reasons.
func (d *Decoder) finish(e *Event) (Reason, string) {
	reason, detail := d.required(e)
	if reason != Accepted {
		*e = Event{}
	}
	return reason, detail
}

func (d *Decoder) required(e *Event) (Reason, string) {
	switch {
	case d.site.absent():
		return MissingSite, "siteId is " + d.site.describe()
	case d.site.kind != '"' || len(d.site.text) > maxSiteBytes:
		return BadSite, fmt.Sprintf("siteId is %s, want a string of 1 to %d bytes", d.site.describe(), maxSiteBytes)
	case d.kind.absent():
		return MissingType, "type is " + d.kind.describe()
	case d.kind.kind != '"' || len(d.kind.text) > maxTypeBytes:
		return BadType, fmt.Sprintf("type is %s, want a string of 1 to %d bytes", d.kind.describe(), maxTypeBytes)
	case d.time.absent():
		return MissingTime, "timestamp is " + d.time.describe()
	}
	ms, ok := parseTimestamp(d.time)
	if !ok {
		return BadTime, fmt.Sprintf("timestamp is %s, want RFC 3339 as in \"2026-05-12T14:03:00Z\" or whole milliseconds "+
			"since 1970 as a number, from 1970 to 9999", d.time.describe())
	}
	if e.VisitorID == nil && e.SessionID == nil {
		return MissingVisitor, fmt.Sprintf("neither visitorId nor sessionId is a string of 1 to %d bytes that identifies a visitor", maxIDBytes)
	}
	e.SiteID, e.Type, e.Timestamp = d.site.text, d.kind.text, ms
	return Accepted, ""
}

// absent reports whether a required field is not there, null, or an empty string.
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
