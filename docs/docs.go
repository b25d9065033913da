// Package docs has the documents that footfall prints unchanged.
package docs

import "embed"

// Patterns is the document about who asks what of the table. The tests of package schema write it.
//
//go:embed patterns.md
var Patterns string

// EventSchema is the JSON Schema of an event. The tests of package event hold it to what the decoder accepts.
//
//go:embed event.schema.json
var EventSchema string

// Metrics defines each number that footfall shows.
//
//go:embed metrics.md
var Metrics string

// Policies are the policies of the roles: iam/ROLE.json. The tests of package e2e write them.
//
//go:embed iam/*.json
var Policies embed.FS
