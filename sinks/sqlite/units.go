package sqlite

import "github.com/footfall/footfall/sinks"

// A file costs no units. They are reported as DynamoDB would bill them, so that a trial on a laptop says what the
// same traffic would cost there.

// indexUnits returns what a write costs in both indexes together.
func indexUnits(k sinks.Key, was, is sinks.IndexKeys) float64 {
	units := sinks.IndexUnits(k, was, is)
	return units[0] + units[1]
}
