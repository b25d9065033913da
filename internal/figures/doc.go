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
package figures
