// Package schema says what the table holds, from the code that writes and reads it: [Document] lists every type of item
// with its keys and attributes, from the catalogue of package sinks; [Writes] says how each is written; [Explain] explains one item.
//
// docs/schema.md is [Overview], committed. docs/patterns.md lists every question with the requests that it makes: the tests of this
// package ask a query.Reader and note what it asks of the table. TestDocumentsAreCurrent compares both documents with what the code
// gives. TestCatalogueIsWhatIsWritten compares the catalogue with the items of a real pipeline.
//
// A new type of item is one entry in the catalogue. A new unit of an attribute also wants an entry in units (units.go),
// without which its values are shown as they are.
package schema
