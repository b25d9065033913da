package sinktest

import "github.com/footfall/footfall/sinks"

// Batch returns items as BatchPut takes them.
func Batch(items ...sinks.Item) []sinks.Attrs {
	batch := make([]sinks.Attrs, len(items))
	for i, it := range items {
		for name, v := range it {
			batch[i] = append(batch[i], sinks.Attr{Name: name, Value: v})
		}
	}
	return batch
}
