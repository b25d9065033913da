// Package schema says what the table holds, made from the code that writes and reads it: [Explain] says what one item
// means, by the catalogue of package sinks. TestCatalogueIsWhatIsWritten holds the catalogue against the items of a real
// pipeline.
//
// A new type of item is one entry in the catalogue. A new unit of an attribute also wants an entry in units (units.go),
// without which its values are shown as they are.
package schema
