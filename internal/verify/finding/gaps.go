package finding

import (
	"fmt"
	"io"
	"strings"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Forgotten are folded positions that an operator passed.
type Forgotten struct {
	Partition int32  `json:"partition"`
	Lane      string `json:"lane"`
	Step      int64  `json:"step"` // the first that is judged without them
	From      int64  `json:"from"`
	To        int64  `json:"to"` // exclusive
}

func writeForgotten(b io.Writer, list []Forgotten) {
	for _, f := range list {
		fmt.Fprintf(b, "skipped: partition %d, lane %s, positions [%d,%d) after they were "+
			"folded: from step %d on, copies of their events and of "+
			"earlier ones count again\n", f.Partition, f.Lane, f.From, f.To, f.Step)
	}
}

// Lost is a lost span of an item, from the history of a chain.
type Lost struct {
	Kind       string    `json:"kind"` // entity of the item
	PK         string    `json:"pk"`
	SK         string    `json:"sk"`
	Attributes []string  `json:"attributes"` // that could not be read
	Partition  int32     `json:"partition"`
	Lane       string    `json:"lane"`
	To         int64     `json:"to"` // end of the span, a position, exclusive
	At         string    `json:"at"` // when the item was quarantined, RFC 3339
	By         string    `json:"by"`
	Copy       sinks.Key `json:"copy"`
}

func writeLost(b io.Writer, list []Lost) {
	for _, l := range list {
		fmt.Fprintf(b, "lost: %s %s / %s: what partition %d, lane %s had folded into it before position %d (%s; quarantined %s by %s; copy %s "+
			"/ %s)\n",
			l.Kind, l.PK, l.SK, l.Partition, l.Lane, l.To, strings.Join(l.Attributes, ", "), l.At, l.By, l.Copy.PK, l.Copy.SK)
	}
}

// Gap is what a chain has not folded, or not for certain, and never will. Nothing of such a chain can be compared: its
// totals and its gaps together bound how far the table is from what was published.
type Gap struct {
	Partition int32  `json:"partition"`
	Lane      string `json:"lane"`
	checkpoint.Gap
}

// HeldUp is the end of a partition that an open transaction keeps from being read: nothing of it is compared.
type HeldUp struct {
	Partition int32 `json:"partition"`
	From      int64 `json:"from"` // offset: the last stable one
	To        int64 `json:"to"`   // the high watermark, exclusive
}

// Behind is a chain that had not passed the end offset when the wait was over.
type Behind struct {
	Partition int32  `json:"partition"`
	Lane      string `json:"lane"`
	Offset    int64  `json:"offset"` // of its next record
	End       int64  `json:"end"`    // the offset to pass
}
