package produce

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/eventjson"
)

// badKinds make a record's value unusable, each in its own way. Between them they meet every reason for which the
// value alone is rejected.
var badKinds = []func(r Record) string{
	func(r Record) string { return string(r.Value[:len(r.Value)-1]) },                     // cut
	func(r Record) string { return string(r.Value) + "{}" },                               // trailing bytes
	func(r Record) string { return `{"siteId":"a","siteId":"b",` + string(r.Value[1:]) },  // duplicate key
	func(r Record) string { return "{\"title\":\"\xff\xfe\"," + string(r.Value[1:]) },     // not UTF-8
	func(r Record) string { return `{"name":"\ud800",` + string(r.Value[1:]) },            // lone surrogate
	func(r Record) string { return "[" + string(r.Value) + "]" },                          // not an object
	func(Record) string { return "" },                                                     // nothing at all
	func(r Record) string { return withTime(r, `"type":"click","visitorId":"v"`) },        // no siteId
	func(r Record) string { return withTime(r, `"siteId":7,"type":"a","visitorId":"v"`) }, // siteId is no string
	func(r Record) string { return withTime(r, `"siteId":"bad","visitorId":"v"`) },        // no type
	func(r Record) string {
		return withTime(r, `"siteId":"bad","visitorId":"v","type":"`+strings.Repeat("t", 65)+`"`) // type too long
	},
	func(Record) string { return `{"siteId":"bad","type":"click","visitorId":"v"}` }, // no timestamp
	func(Record) string {
		return `{"siteId":"bad","type":"click","visitorId":"v","timestamp":"half past nine"}`
	}, // no time
	func(r Record) string { return withTime(r, `"siteId":"bad","type":"click","visitorId":"anonymous"`) }, // no visitor
	func(r Record) string { // too large
		return string(r.Value[:len(r.Value)-1]) + `,"padding":"` + strings.Repeat("x", maxEventBytes) + `"}`
	},
}

// spoil returns the record with a value that is bad in the n-th way.
func spoil(r Record, n int) Record {
	value := badKinds[n%len(badKinds)](r)
	r.Value = bytes.Clone([]byte(value))
	r.ID, r.Type = "", ""
	return r
}

func withTime(r Record, rest string) string {
	return fmt.Sprintf(`{%s,"timestamp":%q}`, rest, r.Time.Format(eventjson.TimeFormat))
}
