// Package figures declares each figure once: what a site's buckets hold of it, and how answers name, derive and show it. Fold, seal,
// query, comparison, tables, pages, documents and verify loop over these declarations.
//
//	sums.go      the counters of stored hours and days: attribute, meaning, addition
//	answers.go   the figures of answers: name, heading, unit, and the sums that they are derived from
//	fields.go    which fields of a struct are which figures, by the names in JSON
//
// To add a sum, declare it in sums.go and, if answers have it, in answers.go. Then count it in pipeline/aggregate and, by a rule of its own,
// in internal/verify, and give it fields in query.Figures and query.Changes.
package figures
