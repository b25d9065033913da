package footfalltest

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

const (
	defaultTopic      = "events"
	defaultPartitions = 4
	failedSuffix      = ".failed" // as pipeline.Options.FailedTopic has it

	// answerWithin is how long a request to DynamoDB Local may take: it answers late on a busy machine, and that is not what the test is
	// about.
	answerWithin = 2 * time.Minute
)

// Options say what footfall runs on. The zero value runs everything in the test's process.
type Options struct {
	// Brokers are the addresses of Kafka brokers, host:port. Empty: a broker in this process.
	Brokers []string
	// Kafka are options of the Kafka clients beside the addresses, for brokers that ask for TLS or SASL: kgo.DialTLSConfig(...),
	// kgo.SASL(scram.Auth{...}.AsSha512Mechanism()). Nil: plain connections.
	Kafka []kgo.Opt
	// Topic is the topic of the events. It is created if absent, as is Topic + ".failed", which takes rejected records. Empty: "events",
	// and on given Brokers a name of its own.
	Topic string
	// Partitions is how many partitions a topic gets that is created. 0: 4.
	Partitions int
	// DynamoDB is the endpoint of a DynamoDB Local, as in http://127.0.0.1:8000. Empty: a table in a SQLite file in a temporary
	// directory.
	DynamoDB string
	// Table is the name of the table at DynamoDB, which is created if absent. Empty: a name of its own.
	Table string
	// Now is the clock that decides what has expired, what is "now" in questions, and when an Event without a Time happened. A clock
	// that stands still makes a test with fixed dates independent of the day it runs on. Nil: time.Now.
	Now func() time.Time
	// Pipeline changes the options of the pipeline before it starts, as in o.Settings.LateMs = -1. Nil: they are as they are.
	Pipeline func(o *pipeline.Options)
}

// Footfall is footfall while a test runs. Methods that take a test end it when they fail, so call them
// from the test's goroutine. The others are safe for concurrent use.
type Footfall struct {
	brokers  []string
	topic    string
	tableURL string
	now      func() time.Time

	kafka   []kgo.Opt   // of each client
	client  *kgo.Client // publishes and asks for offsets
	table   sinks.Table
	changes *changes      // of the checkpoints in the table
	ended   chan struct{} // closed when the pipeline has ended, with err
	err     error
}

// Brokers are the addresses of the Kafka brokers, host:port, for the producer that is tested.
func (f *Footfall) Brokers() []string { return f.brokers }

// Topic is the topic of the events.
func (f *Footfall) Topic() string { return f.topic }

// TableURL names the table as --table of the footfall command does: sqlite://PATH, or dynamodb://NAME.
func (f *Footfall) TableURL() string { return f.tableURL }

// Query returns a reader of the table. What it answers after [Footfall.Settle] contains all that was published before.
func (f *Footfall) Query() *query.Reader {
	return query.New(retry.Policy{Within: answerWithin}.Reads(f.table), f.now)
}
