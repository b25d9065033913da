// Package duplicates detects records that repeat an event within a window of the partition's log.
package duplicates
