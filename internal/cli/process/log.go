// Package process has what commands need that run until they are stopped: logs, an HTTP server for probes and scrapers, traces, and
// the metric of the build.
package process

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
)

// NewLog makes a logger that writes as the configuration says, a bounded number of lines of a warning.
func NewLog(w io.Writer, c config.Log) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		panic(fmt.Sprintf("log.level of a configuration that was validated: %v", err))
	}
	o := &slog.HandlerOptions{Level: level}
	w = command.PlainIfTerminal(w)
	if c.Format == "json" {
		o.ReplaceAttr = durationsWithUnits
		return slog.New(newBoundedLog(slog.NewJSONHandler(w, o)))
	}
	return slog.New(newBoundedLog(slog.NewTextHandler(w, o)))
}

// durationsWithUnits spells durations as text does, 1m30s, where JSON would have a number of nanoseconds.
func durationsWithUnits(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// KafkaLog passes on what the Kafka client has to say: its warnings and errors, at the level debug everything.
type KafkaLog struct{ To *slog.Logger }

// Level is the least severe level that is logged.
func (l KafkaLog) Level() kgo.LogLevel {
	if l.To.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelDebug
	}
	return kgo.LogLevelWarn
}

// Log logs a message of the client.
func (l KafkaLog) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	levels := map[kgo.LogLevel]slog.Level{kgo.LogLevelError: slog.LevelError, kgo.LogLevelWarn: slog.LevelWarn}
	at, ok := levels[level]
	if !ok {
		at = slog.LevelDebug
	}
	// Cause: The Kafka client reports a lost connection, a failed request or a login that was refused. Remedy: None is needed while counting
	// continues. Otherwise look at the brokers, the network and `kafka.tls` and `kafka.sasl`.
	l.To.Log(context.Background(), at, "kafka client: "+msg, keyvals...)
}

// UnlessAsked returns the error of what a process does before it begins to consume, or nil when it was asked to end
// meanwhile: that made the error, and there is nothing to drain.
func UnlessAsked(ctx context.Context, log *slog.Logger, err error) error {
	if err != nil && ctx.Err() != nil {
		log.Info("stopped before consuming", "cause", context.Cause(ctx))
		return nil
	}
	return err
}

// UnlessEnded returns the error, or nil if ctx has ended and may have caused it.
func UnlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
