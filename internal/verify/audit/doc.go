// Package audit compares what belongs to no site: checkpoints, histories, lost spans, the table's settings, topics,
// tokens, annotations and earlier results.
package audit
