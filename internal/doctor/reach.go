package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/login"
	"github.com/footfall/footfall/sinks"
)

// Patience is how long the brokers, and the table, have to answer.
const Patience = 15 * time.Second

// CheckTopic makes sure that the brokers can be reached with these options, and that the topic is one that can be
// consumed. Its error says what to do.
func CheckTopic(ctx context.Context, opts []kgo.Opt, k config.Kafka) error {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, fmt.Errorf("no answer in %v", Patience))
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
	if err := topics[k.Topic].Err; err != nil {
		return topicError(k, err)
	}
	return checkCleanup(ctx, adm, k.Topic)
}

// topicError says what to do about a topic that the brokers do not describe.
func topicError(k config.Kafka, err error) error {
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return fmt.Errorf("topic %q does not exist at %s: create it, for instance with `kafka-topics.sh --create --topic %s "+
			"--partitions 8 --bootstrap-server %s`, or choose another with kafka.topic (--topic)",
			k.Topic, strings.Join(k.Brokers, ","), k.Topic, k.Brokers[0])
	}
	return fmt.Errorf("topic %q: %w: let user %q read and describe it", k.Topic, err, k.SASL.Username)
}

// checkCleanup refuses a topic from which records vanish: its numbers could not be recounted. A broker that does
// not show a topic's configuration to this user is believed.
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
	err = WithCause(ctx, err)
	var closed *kgo.ErrFirstReadEOF
	var unable *login.Error
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed), errors.Is(err, kerr.IllegalSaslState):
		return fmt.Errorf("the brokers at %s refuse %w", brokers, refused(k.SASL, err))
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return fmt.Errorf("the brokers at %s do not know SASL mechanism %s: %w: set kafka.sasl.mechanism to one they know",
			brokers, k.SASL.Mechanism, err)
	case errors.As(err, &unable):
		return fmt.Errorf("no login at the brokers at %s: %w", brokers, err)
	case errors.As(err, &closed), errors.Is(err, io.EOF):
		return fmt.Errorf("the brokers at %s close the connection: %w: check kafka.tls.enabled (now %v), and kafka.sasl: mechanism "+
			"(now %q), user (now %q) and password", brokers, err, k.TLS.Enabled, k.SASL.Mechanism, k.SASL.Username)
	case strings.Contains(err.Error(), "plaintext connection speaking to a tls endpoint"):
		return fmt.Errorf("the brokers at %s speak TLS: %w: set kafka.tls.enabled to true", brokers, err)
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		return fmt.Errorf("the TLS handshake with the brokers at %s fails: %w: %s", brokers, err, tlsRemedy(k.TLS, err))
	}
	hint := ""
	if k.TLS.Enabled {
		hint = "; is it TLS that they speak there (kafka.tls.enabled)?"
	}
	return fmt.Errorf("no broker answers at %s: %w: start Kafka, or set kafka.brokers (--brokers, FOOTFALL_KAFKA_BROKERS)%s", brokers, err,
		hint)
}

// refused says whom the brokers refuse, and what to check.
func refused(s config.SASL, err error) error {
	switch strings.ToUpper(s.Mechanism) {
	case config.AWSMSKIAM:
		return fmt.Errorf("the AWS identity: %w: allow it kafka-cluster:Connect", err)
	case config.OAuthBearer:
		return fmt.Errorf("the token: %w: check its issuer, audience and lifetime, and kafka.sasl.oauth", err)
	}
	return fmt.Errorf("user %q: %w: check kafka.sasl.username, and kafka.sasl.password or passwordFile", s.Username, err)
}

// tlsRemedy names the setting that a failed handshake points at.
func tlsRemedy(t config.TLS, err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch text := err.Error(); {
	case errors.As(err, &authority):
		return fmt.Sprintf("name the certificate of the brokers' authority in kafka.tls.ca (now %q)", t.CA)
	case errors.As(err, &host):
		return fmt.Sprintf("set kafka.tls.serverName (now %q) to a name that the brokers' certificate has", t.ServerName)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "renew the brokers' certificate, or set the clock of this machine"
	case strings.Contains(text, "remote error: tls: ") && strings.Contains(text, "certificate"):
		return fmt.Sprintf("name a client certificate that the brokers accept in kafka.tls.cert (now %q%s) and kafka.tls.key", t.Cert, expired(t))
	}
	return "check kafka.tls.ca, cert, key and serverName"
}

// expired says when the client's certificate expired, if it did.
func expired(t config.TLS) string {
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil || time.Now().Before(pair.Leaf.NotAfter) {
		return ""
	}
	return ", which expired at " + pair.Leaf.NotAfter.UTC().Format(time.RFC3339)
}

// cancelled reports whether ctx was cancelled, by a signal, and did not just take too long: nothing is wrong then.
func cancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// WithCause adds why the context ended, if it did.
func WithCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// CheckTable makes sure that the table is there and has the shape that footfall needs. Its error says what to do.
func CheckTable(ctx context.Context, t sinks.Admin, url string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, fmt.Errorf("no answer in %v", Patience))
	defer cancel()
	d, err := t.Describe(ctx)
	if err == nil {
		return differencesError(d, url)
	}
	if cancelled(ctx) {
		return context.Cause(ctx)
	}
	return tableError(ctx, url, err)
}

// tableError says what to do about a table that does not answer.
func tableError(ctx context.Context, url string, err error) error {
	switch {
	case errors.Is(err, sinks.ErrNoTable):
		return fmt.Errorf("table %s: %w: create it with `footfall table create --table %s`, or choose another with table (--table)", url,
			sinks.ErrNoTable, url)
	case errors.Is(err, sinks.ErrDenied):
		return fmt.Errorf("table %s: %w: check the AWS credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role) and what they may do", url, err)
	}
	hint := "" // A SQLite table says itself what to do.
	if strings.HasPrefix(url, "dynamodb://") {
		hint = ": check AWS_REGION, the network, and AWS_ENDPOINT_URL_DYNAMODB if it is set"
	}
	return fmt.Errorf("table %s: %w%s", url, WithCause(ctx, err), hint)
}

// differencesError says what to do about a table of another shape; nil: it has the right one.
func differencesError(d sinks.Description, url string) error {
	switch {
	case onlyOtherTTL(d):
		return fmt.Errorf("table %s is not as footfall needs it: %s: turn that off with `%s`, then run `footfall table update --table %s`; "+
			"AWS permits the second change an hour after the first", url, d.Lasting[0], turnOffTTL(d), url)
	case len(d.Lasting) > 0:
		return fmt.Errorf("table %s is not as footfall needs it: %s: no update changes this: create another with `footfall table create`, "+
			"or see `footfall table describe --table %s`", url, strings.Join(d.Lasting, "; "), url)
	case len(d.Differences) > 0:
		return fmt.Errorf("table %s is not as footfall needs it: %s: add it with `footfall table update --table %s`", url,
			strings.Join(d.Differences, "; "), url)
	}
	return nil
}

// onlyOtherTTL reports whether the attribute of time to live is all that an update of the table cannot change. It can be changed
// beforehand.
func onlyOtherTTL(d sinks.Description) bool { return d.OtherTTL != "" && len(d.Lasting) == 1 }

// turnOffTTL is the command that turns the expiry by another attribute off.
func turnOffTTL(d sinks.Description) string {
	return fmt.Sprintf("aws dynamodb update-time-to-live --table-name %s --time-to-live-specification Enabled=false,AttributeName=%s", d.Name,
		d.OtherTTL)
}
