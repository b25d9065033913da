package show

import _ "embed"

// JSONFields describes each field of the JSON of answers, in Markdown. The tests write it from the comments of package query.
//
//go:embed fields.md
var JSONFields string
