package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// warnOfTimestamps warns of settings of the topic that take what the pipeline rejects.
func warnOfTimestamps(ctx context.Context, opts []kgo.Opt, c config.Config, log *slog.Logger) {
	for _, f := range doctor.Timestamps(ctx, opts, c) {
		log.Warn(f.Line(), "topic", c.Kafka.Topic)
	}
}

// warnOfClocks warns when this machine's clock is far from the table's or the brokers'. The clock decides only what has expired.
func warnOfClocks(ctx context.Context, opts []kgo.Opt, t *openedTable, log *slog.Logger) {
	for _, f := range doctor.Clocks(ctx, opts, t.Admin) {
		switch f.Severity {
		case doctor.Warning:
			log.Warn(f.Line())
		case doctor.Unchecked:
			log.Debug("a clock cannot be compared", "reason", f.Found)
		}
	}
}

// warnOfExpired warns when records wait in the topic that are so old that what they would write has expired
// already: an import of history with the retention of live traffic. It goes by the records' timestamps; where it
// cannot tell, it says nothing.
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
		log.Warn(fmt.Sprintf("records older than %v wait in the topic: with%s their items have expired already and are "+
			"not written; to import history, set these to never", shortest, kinds), "topic", c.Kafka.Topic, "records", n)
	}
}

// configWarnings are what run, dev and config check say of a configuration that is valid, and costs something.
func configWarnings(c config.Config) []string {
	var warnings []string
	if text := shortSessions("retention.session", c.Retention.Session, "retention.hour", c.Retention.Hour); text != "" {
		warnings = append(warnings, text)
	}
	if strings.EqualFold(c.Kafka.SASL.Mechanism, "PLAIN") && !c.Kafka.TLS.Enabled {
		warnings = append(warnings, "kafka.sasl.mechanism PLAIN sends the password unencrypted without TLS: set kafka.tls.enabled to true, "+
			"or choose SCRAM-SHA-256 or SCRAM-SHA-512")
	}
	if c.Kafka.GroupProtocol == "consumer" && c.Kafka.SessionTimeout != config.Default().Kafka.SessionTimeout {
		warnings = append(warnings, fmt.Sprintf("kafka.sessionTimeout %v has no effect with kafka.groupProtocol consumer: the brokers decide, "+
			"by group.consumer.session.timeout.ms", c.Kafka.SessionTimeout))
	}
	return warnings
}

// shortSessions says what sessions that expire before their hours cost; "": they do not. The settings are named as they are
// where they were made.
func shortSessions(session string, sessionDays config.Days, hour string, hourDays config.Days) string {
	if sessionDays == config.Never || hourDays != config.Never && sessionDays >= hourDays {
		return ""
	}
	return fmt.Sprintf("%s %v is less than %s %v: what a session that has expired takes back later from an hour that has not is wrong, "+
		"and a session that comes back counts again: give %s at least as many days", session, sessionDays, hour, hourDays, session)
}

// lateSessions says what a site's sessions cost that expire before the last event that the configuration lets be of them; "":
// they do not.
func lateSessions(days config.Days, c config.Config) string {
	least := c.LeastSessionDays()
	if days == config.Never || least != config.Never && days >= least {
		return ""
	}
	return fmt.Sprintf("session-days %v is too short for the configured allowedLateness %v and visits.gap %v: an event of a session that has "+
		"expired counts another session: make it %v", days, c.AllowedLateness, c.Visits.Gap, least)
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
	next, err := chainOffsets(ctx, t, topic, len(starts[topic]))
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

// chainOffsets returns the offset behind the last step of the stats lane, for those of the partitions 0 to
// partitions-1 that have a chain.
func chainOffsets(ctx context.Context, t sinks.Table, topic string, partitions int) (map[int32]int64, error) {
	keys := sinks.Keys{}
	number, ok, err := sinks.LoadTopic(ctx, t, keys, topic)
	if err != nil || !ok {
		return nil, err
	}
	next := make(map[int32]int64)
	var checkpoints []sinks.Key // by partition
	for n := range int32(partitions) {
		checkpoints = append(checkpoints, keys.Checkpoint(sinks.TP{Topic: number, Partition: n}, checkpoint.LaneStats))
	}
	found, err := sinks.Get(ctx, t, checkpoints...)
	if err != nil {
		return nil, err
	}
	for n, key := range checkpoints {
		if it, ok := found[key]; ok {
			c, err := checkpoint.ReadHead(it)
			if err != nil {
				return nil, err
			}
			next[int32(n)] = c.To - c.Base
		}
	}
	return next, nil
}
