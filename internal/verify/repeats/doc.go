// Package repeats finds out which events are in the log before, within the window of duplicates of their step. It
// hides how sightings are kept and how the clock of the log's segments is estimated.
package repeats
