package scope

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// Options say what is verified against what.
type Options struct {
	Kafka []kgo.Opt // how to reach the brokers: seeds, TLS, SASL, dialer only
	Topic string
	Table sinks.Table
	Keys  sinks.Keys

	Describe func(context.Context) (sinks.Description, error) // how large the table is, for Cost; nil: not known

	HashKey []byte // of the visitors' hash, 16 bytes; nil: the one that the table keeps
	SkipRaw bool   // leave raw events out. If false, each step's settings say whether the table must hold them

	Site     string         // verify one site; "": all
	From, To time.Time      // verify what overlaps this span of event time; zero: open
	Zone     *time.Location // of this span in the report; nil: UTC

	Wait           time.Duration    // how long to wait for the chains to pass the end offsets; 0: not at all
	Now            func() time.Time // decides what has expired; nil: time.Now
	MaxDifferences int              // how many differences are listed, beside being counted; 0: 1,000

	SampleSites float64                // share of all sites, chosen by their hash, that is verified; 0: all
	Memory      int64                  // about how many bytes of sites are kept at a time; more takes several passes; 0: DefaultMemory
	Resume      string                 // file that keeps which sites are done, and is continued from if it is there; "": none
	Agreed      func(sinks.Item)       // called with each item that equals the recount, by several goroutines at a time; nil: not called
	Waiting     func(finding.Waiting)  // called now and then while checkpoints are waited for; nil: not called
	Cost        func(finding.Cost)     // called with what will be read, before it is; nil: not called
	Progress    func(finding.Progress) // called now and then, by one goroutine at a time; nil: not called
}
