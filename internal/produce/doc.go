// Package produce publishes web-analytics events to a Kafka topic: synthetic traffic, or the lines of a file.
//
//	Traffic            seeded synthetic visits          ┐
//	File  ← Events     our own events, as they are      ├→  Record  →  Job  →  Kafka, summary, ledger
//	      ← Mapping    any NDJSON, by a mapping         │
//	      ← AccessLog   Apache and nginx combined logs   ┘
//
// What makes records ([Traffic], [File]) knows neither Kafka nor the clock: the same seed and instants, or the same
// file, make the same records, byte for byte; those of a combined log under the same key, for without one its ids are
// random. [Job] sends them with an idempotent producer, counts every record and every line exactly once as sent,
// failed or refused, and names the lines that it refused.
//
// Files: record.go the record and its key; traffic.go, visit.go, scenery.go, bad.go the synthetic traffic; file.go lines, gzip and
// refusals; sorted.go lines in the order of time, stepback.go the warning where they are not; events.go, mapping.go, source.go,
// combined.go, logline.go, visits.go the three formats; job.go and patience.go the sending, topic.go the topic, pace.go the rate,
// recordtime.go Kafka's timestamps, ledger.go and summary.go what is said afterwards.
package produce
