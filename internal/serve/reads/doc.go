// Package reads bounds, counts and shares what answers read of the table.
//
//	limits.go, meter.go     what an answer may read, and what it has read
//	metrics.go              what answers cost, by credential
//	shared.go               one read for identical questions at the same time
//	recent.go               one read for questions within a few seconds
//	hub.go                  one read for all who listen to a stream
package reads
