package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Options say what to examine.
type Options struct {
	Config     config.Config
	Kafka      []kgo.Opt
	KafkaError error               // why a client of Kafka could not be configured
	Failed     string              // the failed-events topic
	Settings   checkpoint.Settings // that a pipeline of the configuration would begin a flush with

	Table      sinks.Table // nil: it could not be opened
	Admin      sinks.Admin
	TableError error // why the table could not be opened

	Role   Role          // whose permissions on the table to try
	Outage time.Duration // how long the pipeline may be down without a loss of records
}

// exam is an examination under way.
type exam struct {
	Options
	report *Report
	client *kgo.Client
	admin  *kadm.Client

	topic      kadm.TopicDetail
	settings   map[string]string // of the topic; nil: not described
	partitions int
	unusable   bool // the table has another shape, which no update mends
}

// Examine checks everything, and returns what it found in a fixed order. Nothing is changed.
func Examine(ctx context.Context, o Options) *Report {
	e := &exam{Options: o, report: &Report{Version: ReportVersion, AskedAt: time.Now().UTC().Truncate(time.Second),
		Topic: o.Config.Kafka.Topic,
		Table: o.Config.Table}}
	kafka := e.examineKafka(ctx)
	table := e.examineTable(ctx)
	if kafka && e.unusable {
		e.unchecked(ctx, "checkpoints", errUnusable)
	} else if kafka && table && e.partitions > 0 {
		e.within(ctx, chains{e}.checkCheckpoints)
	}
	e.report.Answered = kafka || table
	e.report.count()
	return e.report
}

// examineKafka checks the brokers and what they hold. It reports whether they could be asked.
func (e *exam) examineKafka(ctx context.Context) bool {
	err := e.KafkaError
	if err == nil {
		e.client, err = kgo.NewClient(e.Kafka...)
	}
	if err != nil {
		e.fail("brokers", err.Error(), "nothing is counted")
		return false
	}
	defer e.client.Close()
	e.admin = kadm.NewClient(e.client)
	ping, cancel := context.WithTimeoutCause(ctx, Patience, fmt.Errorf("no answer in %v", Patience))
	defer cancel()
	if err := e.client.Ping(ping); err != nil {
		e.fail("brokers", brokerError(ping, e.Config.Kafka, err).Error(), "nothing is counted")
		return false
	}
	e.within(ctx, e.checkBrokers)
	e.within(ctx, e.checkTopic)
	e.within(ctx, e.checkFailedTopic)
	if e.partitions > 0 {
		e.within(ctx, e.checkSample)
	}
	e.within(ctx, e.checkGroup)
	e.add(compareBrokers(ctx, e.Kafka))
	return true
}

// within runs a group of checks with a time limit of its own.
func (e *exam) within(ctx context.Context, checks func(context.Context)) {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, fmt.Errorf("no answer in %v", Patience))
	defer cancel()
	checks(ctx)
}

func (e *exam) add(findings ...Finding) { e.report.Findings = append(e.report.Findings, findings...) }

func (e *exam) ok(check, format string, args ...any) {
	e.add(Finding{Check: check, Severity: OK, Found: fmt.Sprintf(format, args...)})
}

func (e *exam) warn(check, found, endangers string, commands ...string) {
	e.add(Finding{Check: check, Severity: Warning, Found: found, Endangers: endangers, Commands: commands})
}

func (e *exam) fail(check, found, endangers string, commands ...string) {
	e.add(Finding{Check: check, Severity: Error, Found: found, Endangers: endangers, Commands: commands})
}

func (e *exam) unchecked(ctx context.Context, check string, err error) {
	e.add(Finding{Check: check}.unchecked(WithCause(ctx, err)))
}
