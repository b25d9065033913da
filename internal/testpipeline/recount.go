package testpipeline

import (
	"bytes"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Within is a window of duplicates of that many positions and a day.
func Within(positions int64) checkpoint.Duplicates {
	if positions == 0 {
		return checkpoint.Duplicates{}
	}
	return checkpoint.Duplicates{WindowMs: (24 * time.Hour).Milliseconds(), Positions: positions}
}

// Recounted compares the table with a recount of the topic.
func (w *World) Recounted() verify.Report {
	w.T.Helper()
	r, err := w.Verify(w.Options())
	if err != nil {
		w.T.Fatal(err)
	}
	if code := r.ExitCode(); code != 0 && (code != finding.ExitLeftOut || !w.Recreated) {
		var b bytes.Buffer
		r.WriteText(&b)
		w.T.Errorf("verify:\n%s", &b)
	}
	return r
}

// Verify recounts the topic with package verify and compares.
func (w *World) Verify(o pipeline.Options) (verify.Report, error) {
	return verify.Run(w.T.Context(), verify.Options{Kafka: w.Kafka(), Topic: w.Topic, Table: w.Table, Keys: w.Live(), HashKey: o.HashKey})
}

// Differences recounts the topic and spells each difference on a line.
func (w *World) Differences(o pipeline.Options) (r verify.Report, list []string) {
	w.T.Helper()
	r, err := w.Verify(o)
	if err != nil {
		w.T.Fatal(err)
	}
	for _, d := range r.Differences {
		list = append(list, fmt.Sprintf("%s %s: %s: table %s, recount %s", d.Kind, d.SK, d.Attribute, d.Table, d.Recount))
	}
	return r, list
}

// Agrees fails the test for each difference between the table and a recount.
func (w *World) Agrees(o pipeline.Options) verify.Report {
	w.T.Helper()
	r, list := w.Differences(o)
	for _, difference := range list {
		w.T.Error(difference)
	}
	return r
}
