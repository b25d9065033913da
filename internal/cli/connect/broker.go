package connect

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/embedded"
)

// dataDir is the directory whose broker a command line means by --data. Brokers that it names itself win over those.
func dataDir(cmd *cobra.Command) (dir string, ok bool) {
	data, named := cmd.Flag("data"), cmd.Flag("brokers")
	if data == nil || !data.Changed || named != nil && named.Changed {
		return "", false
	}
	return data.Value.String(), true
}

// Clients says how to reach the brokers. With --data it makes sure that they are those of the directory: what answers
// at the address that footfall dev left there may be another directory's broker, and records of one must never come
// into the table of another.
func Clients(cmd *cobra.Command, c config.Config) ([]kgo.Opt, error) {
	dir, ok := dataDir(cmd)
	if !ok {
		return kafkaOptions(c.Kafka)
	}
	kafka, err := dataOptions(c.Kafka)
	if err != nil {
		return nil, err
	}
	switch err := checkServed(cmd.Context(), dir, kafka, c.Kafka); {
	case errors.Is(err, embedded.ErrNotServed):
		return nil, fmt.Errorf("no footfall dev runs in %s (%w): start `footfall dev --data %s` and leave it running", dir, err, dir)
	case err != nil:
		return nil, err
	}
	return kafka, nil
}

// Brokers returns the options of a client. For a data directory that no process has open, open starts its broker, which the caller
// closes. Otherwise broker is nil.
func Brokers(cmd *cobra.Command, c config.Config, open func(dir string) (*embedded.Broker, error)) (kafka []kgo.Opt,
	broker *embedded.Broker, err error) {
	dir, ok := dataDir(cmd)
	if !ok {
		kafka, err = kafkaOptions(c.Kafka)
		return kafka, nil, err
	}
	if kafka, err = dataOptions(c.Kafka); err != nil {
		return nil, nil, err
	}
	broker, err = open(dir)
	switch {
	case errors.Is(err, embedded.ErrLocked): // By footfall dev, as a rule.
		unserved := checkServed(cmd.Context(), dir, kafka, c.Kafka)
		if errors.Is(unserved, embedded.ErrNotServed) {
			unserved = fmt.Errorf("%w: %w", unserved, err)
		}
		return kafka, nil, unserved
	case err != nil:
		return nil, nil, err
	}
	return append(kafka, kgo.SeedBrokers(broker.Addr())), broker, nil
}

// dataOptions are kafkaOptions for the broker of a directory, which knows neither TLS nor SASL.
func dataOptions(k config.Kafka) ([]kgo.Opt, error) {
	k.TLS, k.SASL = config.TLS{}, config.SASL{}
	return kafkaOptions(k)
}

// checkServed makes sure that the directory's broker answers at its address.
func checkServed(ctx context.Context, dir string, kafka []kgo.Opt, k config.Kafka) error {
	ctx, cancel := context.WithTimeoutCause(ctx, doctor.Patience, fmt.Errorf("no answer in %v", doctor.Patience))
	defer cancel()
	if err := embedded.CheckServed(ctx, dir, kafka...); err != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%s: %w", k.Brokers[0], err)
	}
	return nil
}
