package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/sinks"
)

// Options say what to examine.
type Options struct {
	Config     config.Config
	Kafka      []kgo.Opt
	KafkaError error               // why a client of Kafka could not be configured
	Failed     string              // the failed-events topic
	Settings   checkpoint.Settings // that a pipeline of the configuration would begin a flush with

	Table         sinks.Table // nil: it could not be opened
	Admin         sinks.Admin
	TableError    error            // why the table could not be opened
	Registry      schemas.Registry // nil: none is configured
	RegistryError error            // why it cannot be asked

	Role   Role          // whose permissions on the table to try
	Outage time.Duration // how long the pipeline may be down without a loss of records
}

// exam is an examination under way.
type exam struct {
	Options
	report *Report
	client *kgo.Client
	admin  *kadm.Client

	service    string // that the brokers are of, as far as it shows; "": Kafka, perhaps
	topic      kadm.TopicDetail
	settings   map[string]string // of the topic; nil: not described
	partitions int
	unusable   bool // the table has another shape, which no update mends
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
