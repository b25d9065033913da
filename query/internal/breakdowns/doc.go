// Package breakdowns reads the breakdowns of sites: the values of dimensions with their counts, merged over hours, partitions and sites,
// and orders them by figures.
package breakdowns
