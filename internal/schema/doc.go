// Package schema says what the table holds, in three ways, all of them made from the code that writes and reads it:
// [Document] lists every type of item with its keys and attributes, from the catalogue of package sinks; [Patterns] lists
// every question with the requests that it makes, which it gets by asking a query.Reader and listening; [Explain] says
// what one item means.
//
// docs/schema.md and docs/patterns.md are the first two, committed; TestDocumentsAreCurrent holds them equal.
// TestCatalogueIsWhatIsWritten holds the catalogue against the items of a real pipeline.
//
// A new type of item is one entry in the catalogue. A new unit of an attribute also wants an entry in units (units.go),
// without which its values are shown as they are.
package schema
