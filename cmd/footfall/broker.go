package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/embedded"
)

// brokers says how to reach the brokers. With --data of a directory that no footfall dev runs, it starts the broker of
// that directory on a free port, for the caller to close; else broker is nil.
func brokers(cmd *cobra.Command, c config.Config) (kafka []kgo.Opt, broker *embedded.Broker, err error) {
	if kafka, err = kafkaOptions(c.Kafka); err != nil {
		return nil, nil, err
	}
	data := cmd.Flag("data")
	if data == nil || !data.Changed {
		return kafka, nil, nil
	}
	broker, err = embedded.OpenAnywhere(data.Value.String())
	switch {
	case errors.Is(err, embedded.ErrLocked): // footfall dev runs it.
		return kafka, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return append(kafka, kgo.SeedBrokers(broker.Addr())), broker, nil
}
