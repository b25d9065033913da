package engine

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/serve"
)

// ConfigWarnings are what run, dev and config check say of a configuration that is valid, and costs something.
func ConfigWarnings(c config.Config) []string {
	var warnings []string
	if text := ShortSessions("retention.session", c.Retention.Session, "retention.hour", c.Retention.Hour); text != "" {
		warnings = append(warnings, text)
	}
	secrets := map[string]string{config.Plain: "password", config.OAuthBearer: "token"}
	if m := strings.ToUpper(c.Kafka.SASL.Mechanism); secrets[m] != "" && !c.Kafka.TLS.Enabled {
		// Cause: The login is sent over a connection that others can read. Remedy: Do what the line says.
		warnings = append(warnings, fmt.Sprintf("kafka.sasl.mechanism %s sends the %s unencrypted without TLS: set kafka.tls.enabled to true, "+
			"or choose SCRAM-SHA-256 or SCRAM-SHA-512", m, secrets[m]))
	}
	if u, err := url.Parse(c.Kafka.SASL.OAuth.TokenEndpoint); err == nil && u.Scheme == "http" && !serve.Loopback(u.Hostname()) {
		// Cause: The endpoint is named with http, on another machine. Remedy: Name it with https.
		warnings = append(warnings, "kafka.sasl.oauth.tokenEndpoint is asked without TLS, which sends the client's secret unencrypted: name it "+
			"with https")
	}
	if c.Kafka.GroupProtocol == "consumer" && c.Kafka.SessionTimeout != config.Default().Kafka.SessionTimeout {
		// Cause: The setting is for the classic group protocol. Remedy: Leave it out, or set the timeout at the brokers.
		warnings = append(warnings, fmt.Sprintf("kafka.sessionTimeout %v has no effect with kafka.groupProtocol consumer: the brokers decide, "+
			"by group.consumer.session.timeout.ms", c.Kafka.SessionTimeout))
	}
	return warnings
}

// ShortSessions says what sessions that expire before their hours cost; "": they do not. The settings are named as they are
// where they were made.
func ShortSessions(session string, sessionDays config.Days, hour string, hourDays config.Days) string {
	if sessionDays == config.Never || hourDays != config.Never && sessionDays >= hourDays {
		return ""
	}
	// Cause: Sessions expire before the hours that count them. Remedy: Do what the line says, before sessions expire.
	return fmt.Sprintf("%s %v is less than %s %v: what a session that has expired takes back later from an hour that has not is wrong, "+
		"and a session that comes back counts again: give %s at least as many days", session, sessionDays, hour, hourDays, session)
}

// LateSessions says what a site's sessions cost that expire before the last event that the configuration lets be of them; "":
// they do not.
func LateSessions(days config.Days, c config.Config) string {
	least := c.LeastSessionDays()
	if days == config.Never || least != config.Never && days >= least {
		return ""
	}
	return fmt.Sprintf("session-days %v is too short for the configured allowedLateness %v and visits.gap %v: an event of a session that has "+
		"expired counts another session: make it %v", days, c.AllowedLateness, c.Visits.Gap, least)
}
