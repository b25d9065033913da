// Package telemetry holds the metrics of a pipeline, and what traces show of a flush.
package telemetry
