package run

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/sinks"
)

// warnOfTimestamps warns of settings of the topic that take what the pipeline rejects.
func warnOfTimestamps(ctx context.Context, opts []kgo.Opt, c config.Config, log *slog.Logger) {
	for _, f := range doctor.Timestamps(ctx, opts, c) {
		// Message: message.timestamp.type is LogAppendTime: … Cause: The topic replaces the timestamps of producers by the time of the broker.
		// Remedy: Run the command that the line has, if events of the past are published.
		// Message: message.timestamp.after.max.ms is … Cause: The topic takes records that are dated later than the end of tomorrow, and footfall
		// rejects them. Remedy: Run the command that the line has: the brokers then refuse them to their producer.
		// Message: message.timestamp.before.max.ms is … Cause: The topic takes records that are older than the longest retention, and what they
		// write has expired. Remedy: Run the command that the line has, or set the retentions to never.
		log.Warn(f.Line(), "topic", c.Kafka.Topic)
	}
}

// warnOfClocks warns when this machine's clock is far from the table's or the brokers'. The clock decides only what has expired.
func warnOfClocks(ctx context.Context, opts []kgo.Opt, t *connect.Table, log *slog.Logger) {
	for _, f := range doctor.Clocks(ctx, opts, t.Admin) {
		switch f.Severity {
		case doctor.Warning:
			// Message: this machine's clock is … that of the … Cause: The clock of this machine and that of the brokers or the table are more than a
			// minute apart. Remedy: Set the clock, best by NTP.
			log.Warn(f.Line())
		case doctor.Unchecked:
			log.Debug("a clock cannot be compared", "reason", f.Found)
		}
	}
}

// warnOfExpired warns when records wait in the topic that are so old that what they would write has expired
// already: an import of history with the retention of live traffic. It goes by the records' timestamps; where these
// do not decide, it says nothing.
func warnOfExpired(ctx context.Context, opts []kgo.Opt, t sinks.Table, c config.Config, log *slog.Logger) {
	shortest, kinds := config.Never, ""
	for _, r := range []struct {
		name string
		days config.Days
	}{
		{"raw", c.Retention.Raw}, {"session", c.Retention.Session}, {"hour", c.Retention.Hour}, {"day", c.Retention.Day},
	} {
		if r.days != config.Never {
			kinds += fmt.Sprintf(" retention.%s=%v", r.name, r.days)
			if shortest == config.Never || r.days < shortest {
				shortest = r.days
			}
		}
	}
	if shortest == config.Never {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, doctor.Patience)
	defer cancel()
	n, err := recordsBefore(ctx, opts, t, c.Kafka.Topic, time.Now().AddDate(0, 0, -int(shortest)))
	if err == nil && n > 0 {
		// Cause: Records wait in the topic that are older than the shortest retention. Remedy: To keep all of a history, set the retentions to
		// never before it is read. Otherwise none is needed.
		log.Warn(fmt.Sprintf("records older than %v wait in the topic: with%s their items have expired already and are "+
			"not written; to import history, set these to never", shortest, kinds), "topic", c.Kafka.Topic, "records", n)
	}
}

// recordsBefore counts the offsets that no chain has passed and that lie before the first record of an instant.
func recordsBefore(ctx context.Context, opts []kgo.Opt, t sinks.Table, topic string, instant time.Time) (int64, error) {
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	starts, err := adm.ListStartOffsets(ctx, topic)
	if err != nil {
		return 0, err
	}
	// Taken before the others: where no record is of the instant or later, the next answer is the end offset, and
	// that may by then lie behind records that have just come.
	ends, err := adm.ListEndOffsets(ctx, topic)
	if err != nil {
		return 0, err
	}
	firsts, err := adm.ListOffsetsAfterMilli(ctx, instant.UnixMilli(), topic)
	if err != nil {
		return 0, err
	}
	next, err := engine.ChainOffsets(ctx, t, topic, len(starts[topic]))
	if err != nil {
		return 0, err
	}
	var old int64
	starts.Each(func(s kadm.ListedOffset) {
		first, ok := firsts.Lookup(topic, s.Partition)
		end, known := ends.Lookup(topic, s.Partition)
		if ok && known && s.Err == nil && first.Err == nil && end.Err == nil {
			old += max(0, min(first.Offset, end.Offset)-max(s.Offset, next[s.Partition]))
		}
	})
	return old, nil
}
