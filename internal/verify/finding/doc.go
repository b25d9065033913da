// Package finding holds what a run finds: the comparison of an item by its attributes, differences, what was left out
// and why, and the report. It hides how values are spelled, and knows no recount.
package finding
