package capacity

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// A Window says what the window of duplicates takes and holds in the busiest hours, in partitions that have the same load.
type Window struct {
	Events      float64 `json:"eventsPerSecond"` // of a partition
	Held        float64 `json:"heldSeconds"`     // of duplicates.window
	Bytes       float64 `json:"bytes"`           // of memory that a partition takes, about
	BytesNeeded float64 `json:"bytesNeeded"`     // duplicates.memoryBytes that holds all of duplicates.window
}

// window is the window of duplicates of the workload; nil: there is none.
func (w *Workload) window() *Window {
	of := w.Settings.Duplicates
	if of.Off() {
		return nil
	}
	events := w.EventsPerDay / (24 * time.Hour).Seconds() * w.Peak / float64(w.Partitions)
	whole := float64(of.WindowMs) / 1000
	kept := float64(of.Longest()) / 1000 * events // Somewhat more than the window, and no less than a quarter of the positions.
	kept = min(max(kept, float64(of.Positions)/4), float64(of.Positions))
	return &Window{Events: events, Held: min(whole, float64(of.Positions)/events), Bytes: kept * checkpoint.DuplicateBytes,
		BytesNeeded: math.Ceil(whole * events * checkpoint.DuplicateBytes)}
}

func (d *Window) print(out io.Writer) {
	if d == nil {
		return
	}
	held := time.Duration(d.Held * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(out, "Window of duplicates at the peak: %v in %.1f MiB of memory a partition, at %s events a second there.\n", held,
		d.Bytes/(1<<20), rate(d.Events))
	if most := d.BytesNeeded; d.Held*d.Events*checkpoint.DuplicateBytes < most-1 {
		fmt.Fprintf(out, "All of duplicates.window needs duplicates.memoryBytes %.0f, or more partitions.\n", most)
	}
}
