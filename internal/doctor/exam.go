package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

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
