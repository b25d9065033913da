package event

// A Reason says why a record was rejected. The set is closed: a new reason is a new fold version.
type Reason string

// The reasons, in the order in which a record is examined; the first that holds is its reason.
const (
	Accepted Reason = ""
	TooLarge Reason = "too_large" // the value is over 64 KiB
	Empty    Reason = "empty"     // no value: a tombstone, or zero bytes
	// the value names a schema that the registry did not have
	UnknownSchema Reason = "unknown_schema"
	NotMapped     Reason = "not_mapped" // event.map makes no event of the value: see the detail
	// not one strict JSON value: syntax, UTF-8, surrogates, duplicate keys, trailing bytes; nested over 64 deep, over 1,000 keys
	BadJSON        Reason = "bad_json"
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
	UnknownSite    Reason = "unknown_site"      // the site was deleted, or it was never created and the settings require that
	TooManySites   Reason = "too_many_sites"    // the site was never created, and this hour has as many new sites as the settings allow
	Unreadable     Reason = "unreadable_batch"  // records of a batch that cannot be decompressed, as a range of offsets
	Panicked       Reason = "panicked"          // none of the above: footfall itself failed over it
)

// Duplicate is the verdict on a record that repeats another: no reason to reject it, since its event is counted.
const Duplicate Reason = "duplicate"

// Reasons lists every reason a record can be rejected for.
var Reasons = []Reason{TooLarge, Empty, UnknownSchema, NotMapped, BadJSON, NotObject, MissingSite, BadSite, MissingType, BadType,
	MissingTime, BadTime, MissingVisitor, BadRecordTime, TooLate, TooEarly, UnknownSite, TooManySites, Unreadable, Panicked}
