// Package produce publishes web-analytics events to a Kafka topic: synthetic traffic, or the lines of files.
//
//	Traffic            seeded synthetic visits              ┐
//	Audience, Past     the same with the rhythm of sites    │
//	File  ← Events     our own events, as they are          ├→  Record  →  Job  →  Kafka, summary, ledger
//	      ← Mapping    any NDJSON or table, by a mapping    │
//	      ← AccessLog  of all kinds, by package accesslog   ┘
//
// What makes records ([Traffic], [Audience], [File]) knows neither Kafka nor the clock: the same seed and instants, or the same
// file, make the same records, byte for byte; those of an access log under the same key, for without one its ids are
// random. [Job] sends them with an idempotent producer, counts every record and every line exactly once as sent,
// failed, refused or left out, and names the lines that it refused.
//
// Files: record.go the record and its key; traffic.go, visit.go, scenery.go, bad.go, audience.go the synthetic traffic; input.go files,
// their packing and their order, file.go lines and refusals, detect.go formats by their first lines; sorted.go lines in the order of time,
// stepback.go the warning where they are not; events.go, mapping.go, rows.go events, mappings and tables; accesslog.go,
// requests.go, visits.go access logs; job.go and patience.go the sending, topic.go the topic, pace.go the rate, recordtime.go
// Kafka's timestamps, warnings.go, ledger.go and summary.go what is printed during a job and after it.
package produce
