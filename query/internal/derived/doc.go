// Package derived computes figures from sums: those that the table holds of a bucket or a range, and those of what passes filters.
package derived
