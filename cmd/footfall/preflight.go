package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// preflightTimeout is how long the brokers, and the table, have to answer before a pipeline begins.
const preflightTimeout = 15 * time.Second

// checkTopic makes sure that the brokers can be reached with these options, and that the topic is one that can be
// consumed. Its error says what to do.
func checkTopic(ctx context.Context, opts []kgo.Opt, k config.Kafka) error {
	ctx, cancel := context.WithTimeoutCause(ctx, preflightTimeout, fmt.Errorf("no answer in %v", preflightTimeout))
	defer cancel()
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return fmt.Errorf("make a client of Kafka: %w", err)
	}
	defer cl.Close()
	if err := cl.Ping(ctx); err != nil {
		return brokerError(ctx, k, err)
	}
	adm := kadm.NewClient(cl)
	topics, err := adm.ListTopics(ctx, k.Topic)
	if err != nil {
		return brokerError(ctx, k, err)
	}
	switch err := topics[k.Topic].Err; {
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return fmt.Errorf("topic %q does not exist at %s: create it, for instance with `kafka-topics.sh --create --topic %s "+
			"--partitions 8 --bootstrap-server %s`, or choose another with kafka.topic (--topic)",
			k.Topic, strings.Join(k.Brokers, ","), k.Topic, k.Brokers[0])
	case err != nil:
		return fmt.Errorf("topic %q: %w: let user %q read and describe it", k.Topic, err, k.SASL.Username)
	}
	return checkCleanup(ctx, adm, k.Topic)
}

// checkCleanup refuses a topic from which records vanish: its numbers could not be recounted. A broker that does
// not tell a topic's configuration to this user is believed.
func checkCleanup(ctx context.Context, adm *kadm.Client, topic string) error {
	if policy := topicSettings(ctx, adm, topic)["cleanup.policy"]; strings.Contains(policy, "compact") {
		return fmt.Errorf("topic %q has cleanup.policy=%s: compaction removes records that were counted, so no number could "+
			"be recounted: set cleanup.policy=delete, or choose another topic", topic, policy)
	}
	return nil
}

// brokerError says what to do about brokers that do not talk to this client.
func brokerError(ctx context.Context, k config.Kafka, err error) error {
	if cancelled(ctx) {
		return context.Cause(ctx)
	}
	brokers := strings.Join(k.Brokers, ",")
	err = withCause(ctx, err)
	var closed *kgo.ErrFirstReadEOF
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed), errors.Is(err, kerr.IllegalSaslState):
		return fmt.Errorf("the brokers at %s refuse user %q: %w: check kafka.sasl.username, and kafka.sasl.password or passwordFile",
			brokers, k.SASL.Username, err)
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return fmt.Errorf("the brokers at %s do not know SASL mechanism %s: %w: set kafka.sasl.mechanism to one they know",
			brokers, k.SASL.Mechanism, err)
	case errors.As(err, &closed), errors.Is(err, io.EOF):
		return fmt.Errorf("the brokers at %s close the connection: %w: check kafka.tls.enabled (now %v), and kafka.sasl: mechanism "+
			"(now %q), user (now %q) and password", brokers, err, k.TLS.Enabled, k.SASL.Mechanism, k.SASL.Username)
	case strings.Contains(err.Error(), "plaintext connection speaking to a tls endpoint"):
		return fmt.Errorf("the brokers at %s speak TLS: %w: set kafka.tls.enabled to true", brokers, err)
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		return fmt.Errorf("the TLS handshake with the brokers at %s fails: %w: %s", brokers, err, tlsRemedy(err))
	}
	hint := ""
	if k.TLS.Enabled {
		hint = "; is it TLS that they speak there (kafka.tls.enabled)?"
	}
	return fmt.Errorf("no broker answers at %s: %w: start Kafka, or set kafka.brokers (--brokers, FOOTFALL_KAFKA_BROKERS)%s", brokers, err,
		hint)
}

// tlsRemedy names the setting that a failed handshake points at.
func tlsRemedy(err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	switch text := err.Error(); {
	case errors.As(err, &authority):
		return "name the certificate of the brokers' authority in kafka.tls.ca"
	case errors.As(err, &host):
		return "set kafka.tls.serverName to a name that the brokers' certificate has"
	case strings.Contains(text, "certificate required"), strings.Contains(text, "bad certificate"):
		return "name a client certificate that the brokers accept in kafka.tls.cert and kafka.tls.key"
	}
	return "check kafka.tls.ca, cert, key and serverName"
}

// cancelled reports whether ctx was cancelled, by a signal, and did not just take too long: nothing is wrong then.
func cancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// withCause adds why the context ended, if it did.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// checkTable makes sure that the table is there and has the shape that footfall needs. Its error says what to do.
func checkTable(ctx context.Context, t *openedTable, url string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, preflightTimeout, fmt.Errorf("no answer in %v", preflightTimeout))
	defer cancel()
	d, err := t.Describe(ctx)
	switch {
	case err != nil && cancelled(ctx):
		return context.Cause(ctx)
	case errors.Is(err, sinks.ErrNoTable):
		return fmt.Errorf("table %s: %w: create it with `footfall table create --table %s`, or choose another with table (--table)", url,
			sinks.ErrNoTable, url)
	case errors.Is(err, sinks.ErrDenied):
		return fmt.Errorf("table %s: %w: check the AWS credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role) and what they may do", url, err)
	case err != nil:
		hint := "" // A SQLite table says itself what to do.
		if strings.HasPrefix(url, "dynamodb://") {
			hint = ": check AWS_REGION, the network, and AWS_ENDPOINT_URL_DYNAMODB if it is set"
		}
		return fmt.Errorf("table %s: %w%s", url, withCause(ctx, err), hint)
	case len(d.Differences) > 0:
		return fmt.Errorf("table %s is not as footfall needs it: %s: create another with `footfall table create`, or see "+
			"`footfall table describe --table %s`", url, strings.Join(d.Differences, "; "), url)
	}
	return nil
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
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
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
