package replay

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/sinks"
)

// Options say what to replay.
type Options struct {
	Kafka  []kgo.Opt
	Topic  string // the source topic
	Failed string // the failed-events topic; "": Topic + ".failed"
	Table  sinks.Table
	Keys   sinks.Keys

	Reasons  []event.Reason       // take these only; none: all
	Replayed bool                 // take the entries of records that were replayed before, and those only
	From     time.Time            // pass over records whose own time is before this, for good; zero: none
	Limit    int64                // max. entries to publish; 0: all
	Again    bool                 // begin at the start of the failed-events topic, whatever was replayed before
	DryRun   bool                 // count, and change nothing
	Settings *checkpoint.Settings // of a pipeline that would count the records now, for a prediction; nil: none is made
	Registry schemas.Registry     // is asked for schemas that the table does not keep, for the prediction; nil: they are unknown
	Open     Verdict              // on the open batch of a killed run, if it is no longer known whether it was published

	Progress func(done, total int64) // called as entries are read, by one goroutine; nil: not at all
}

// Verdict is what an operator says of a batch.
type Verdict string

// The verdicts.
const (
	Unsaid      Verdict = ""
	Published   Verdict = "published"
	Unpublished Verdict = "unpublished"
)
