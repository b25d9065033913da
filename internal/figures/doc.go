// Package figures declares each figure once: what a site's buckets hold of it, and how answers name, derive and show it. Fold, seal,
// query, comparison, tables, pages, documents and verify loop over these declarations.
//
//	catalogue.go   the declarations: sums with attribute and meaning, figures with name, heading, unit and origin
//	sums.go        counting and adding up
//	answers.go     units and origins of figures
//	fields.go      which fields of a struct are which figures, by the names in JSON
//
// To add a sum, declare it in catalogue.go, with its figure if answers have one. Count it in pipeline/aggregate and, by a rule of its own,
// in internal/verify. Give the figure a field in query.Figures and one in query.Changes.
//
// To add a dimension that events give, declare it in dimensions.go. Give query.Event, query.Origin and footfalltest.Event a field each, its
// title a translation in internal/page/locale, and it a tab in internal/page/lists. Tests with -update write the documents and the
// decoders.
package figures
