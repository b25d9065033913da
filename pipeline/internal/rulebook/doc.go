// Package rulebook keeps the log of site rules in memory, for all workers of a process.
package rulebook
