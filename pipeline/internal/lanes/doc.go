// Package lanes holds the state of a partition's lanes. A lane is a sequence of flushes: one accumulates
// while the one before it is written.
package lanes
