package connect

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/embedded"
)

// StatusPatience is ReadPatience of footfall status: those who ask whether the table answers are not to wait long.
const StatusPatience = 10 * time.Second

// WithTopic runs f with the configured topic and table, whose reads are repeated for a while.
func WithTopic(a *command.App, cmd *cobra.Command, patience time.Duration,
	f func(ctx context.Context, kafka []kgo.Opt, topic string, t *Table) error) error {
	return WithBrokers(a, cmd, embedded.OpenAnywhere, func(b OpenedBrokers) error {
		return withTableFor(a, cmd, patience, func(ctx context.Context, t *Table) error { return f(ctx, b.Kafka, b.Config.Kafka.Topic, t) })
	})
}

// OpenedBrokers are the brokers of a command, which have the configured topic.
type OpenedBrokers struct {
	Kafka  []kgo.Opt
	Config config.Config
	Own    bool // the command runs the broker of --data itself
}

// WithBrokers runs f with the brokers. open opens the directory of --data, where footfall dev does not run it.
func WithBrokers(a *command.App, cmd *cobra.Command, open func(dir string) (*embedded.Broker, error), f func(OpenedBrokers) error) error {
	c, err := a.Config(cmd)
	if err != nil {
		return err
	}
	kafka, broker, err := Brokers(cmd, c, open)
	if err != nil {
		return err
	}
	if broker != nil {
		defer broker.Close()
	}
	if err := doctor.CheckTopic(cmd.Context(), kafka, c.Kafka); err != nil {
		return err
	}
	return f(OpenedBrokers{kafka, c, broker != nil})
}

// FailedTopic is the name of the failed-events topic.
func FailedTopic(k config.Kafka) string { return cmp.Or(k.FailedTopic, k.Topic+".failed") }
