package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

func (v *validator) kafka(k Kafka) {
	if len(k.Brokers) == 0 {
		v.fault("kafka.brokers", "empty: name at least one broker as host:port")
	}
	for _, b := range k.Brokers {
		if err := hostPort(b, true); err != nil {
			v.fault("kafka.brokers", "%q is not host:port (%v): write it as in localhost:9092", b, err)
		}
	}
	v.topic("kafka.topic", k.Topic)
	switch {
	case k.FailedTopic != "":
		v.topic("kafka.failedTopic", k.FailedTopic)
		if k.FailedTopic == k.Topic {
			v.fault("kafka.failedTopic", "%q is the topic of the events: rejected records need one of their own", k.FailedTopic)
		}
	case len(k.Topic) > 249-len(".failed"):
		v.fault("kafka.failedTopic", "%q followed by .failed is longer than the 249 bytes of a topic's name: name the topic of the rejected "+
			"records", k.Topic)
	}
	if k.Group == "" {
		v.fault("kafka.group", "empty: name the consumer group")
	}
	v.oneOf("kafka.groupProtocol", k.GroupProtocol, "classic", "consumer")
	if k.SessionTimeout < minSessionTimeout || k.SessionTimeout > maxSessionTimeout || k.SessionTimeout%time.Millisecond != 0 {
		v.fault("kafka.sessionTimeout", "%v is out of range: write whole milliseconds from %v, which has room for three heartbeats, to %v, "+
			"within the brokers' group.min.session.timeout.ms and group.max.session.timeout.ms",
			spell(k.SessionTimeout), spell(minSessionTimeout), spell(maxSessionTimeout))
	}
	v.clientName("kafka.clientId", k.ClientID)
	if k.ClientID == "" {
		v.fault("kafka.clientId", "empty: name this client, as in footfall")
	}
	v.clientName("kafka.clientRack", k.ClientRack)
	whole := k.FetchMaxBytes
	if whole < minFetch || whole > maxFetch {
		v.fault("kafka.fetchMaxBytes", "%d is out of range: write %d to %d bytes", whole, minFetch, maxFetch)
		whole = maxFetch
	}
	if n := k.MaxPartitionFetchBytes; n < minPartitionFetch || n > whole {
		v.fault("kafka.maxPartitionFetchBytes", "%d is out of range: write %d to %d bytes, at most kafka.fetchMaxBytes", n, minPartitionFetch,
			whole)
	}
}

const (
	minSessionTimeout = 3 * time.Second  // Heartbeats come once a second then. Brokers permit 6s and more unless they are configured.
	maxSessionTimeout = 30 * time.Minute // What brokers permit unless they are configured.
	minFetch          = 64 << 10
	maxFetch          = 64 << 20 // Below the 100 MiB up to which the client reads an answer.
	minPartitionFetch = 16 << 10
	maxClientName     = 249 // as long as a topic's name
)

func (v *validator) clientName(path, name string) {
	if len(name) > maxClientName || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		v.fault(path, "%q is no name: use at most %d printable characters", name, maxClientName)
	}
}

func (v *validator) topic(path, name string) {
	if !topicName.MatchString(name) || name == "." || name == ".." {
		v.fault(path, "%q is not a topic's name: use 1 to 249 letters, digits, dots, underscores and hyphens", name)
	}
}

func (v *validator) oneOf(path, value string, choices ...string) {
	if !slices.Contains(choices, value) {
		last := len(choices) - 1
		v.fault(path, "%q is unknown: choose %s or %s", value, strings.Join(choices[:last], ", "), choices[last])
	}
}

func (v *validator) tls(t TLS) {
	files := []struct{ path, name string }{
		{"kafka.tls.ca", t.CA}, {"kafka.tls.cert", t.Cert}, {"kafka.tls.key", t.Key},
	}
	for _, f := range files {
		if f.name != "" && t.Enabled {
			v.file(f.path, f.name)
		}
	}
	for _, f := range append(files, struct{ path, name string }{"kafka.tls.serverName", t.ServerName}) {
		if f.name != "" && !t.Enabled {
			v.fault(f.path, "%q has no effect without TLS: set kafka.tls.enabled to true, or remove it", f.name)
		}
	}
	switch {
	case t.Cert != "" && t.Key == "":
		v.fault("kafka.tls.key", "empty, but kafka.tls.cert is set: name the key that belongs to the certificate")
	case t.Key != "" && t.Cert == "":
		v.fault("kafka.tls.cert", "empty, but kafka.tls.key is set: name the certificate that belongs to the key")
	}
}

// file checks a file that is read again and again, as a pipe cannot be.
func (v *validator) file(path, name string) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		v.fault(path, "%s is no regular file, nor a link to one: name a file that can be read again", name)
		return
	}
	f, err := os.Open(name)
	if err != nil {
		v.fault(path, "%v: name a file that can be read", err)
		return
	}
	f.Close()
}

// The mechanisms of SASL.
const (
	Plain       = "PLAIN"
	ScramSHA256 = "SCRAM-SHA-256"
	ScramSHA512 = "SCRAM-SHA-512"
	OAuthBearer = "OAUTHBEARER"
	AWSMSKIAM   = "AWS_MSK_IAM"
)

func (v *validator) sasl(k Kafka) {
	s := k.SASL
	mechanisms := []string{Plain, ScramSHA256, ScramSHA512, OAuthBearer, AWSMSKIAM}
	mechanism := strings.ToUpper(s.Mechanism)
	if mechanism != "" && !slices.Contains(mechanisms, mechanism) {
		v.oneOf("kafka.sasl.mechanism", s.Mechanism, mechanisms...)
		return
	}
	password := mechanism == Plain || mechanism == ScramSHA256 || mechanism == ScramSHA512
	for _, f := range []struct {
		path, value string
		of          bool
	}{
		{"kafka.sasl.username", s.Username, password}, {"kafka.sasl.password", s.Password, password},
		{"kafka.sasl.passwordFile", s.PasswordFile, password}, {"kafka.sasl.oauth.tokenFile", s.OAuth.TokenFile, mechanism == OAuthBearer},
		{"kafka.sasl.oauth.tokenEndpoint", s.OAuth.TokenEndpoint, mechanism == OAuthBearer},
		{"kafka.sasl.oauth.clientId", s.OAuth.ClientID, mechanism == OAuthBearer},
		{"kafka.sasl.oauth.clientSecret", s.OAuth.ClientSecret, mechanism == OAuthBearer},
		{"kafka.sasl.oauth.clientSecretFile", s.OAuth.ClientSecretFile, mechanism == OAuthBearer},
		{"kafka.sasl.oauth.scope", s.OAuth.Scope, mechanism == OAuthBearer},
		{"kafka.sasl.oauth.audience", s.OAuth.Audience, mechanism == OAuthBearer},
		{"kafka.sasl.oauth.extensions", strings.Join(s.OAuth.Extensions, ","), mechanism == OAuthBearer},
	} {
		switch {
		case f.value == "" || f.of:
		case mechanism == "":
			v.fault(f.path, "set, but kafka.sasl.mechanism is not: choose one, or remove it")
		default:
			v.fault(f.path, "set, but kafka.sasl.mechanism is %s: remove it, or choose another mechanism", mechanism)
		}
	}
	switch {
	case mechanism == AWSMSKIAM && !k.TLS.Enabled:
		v.fault("kafka.tls.enabled", "false, but kafka.sasl.mechanism is AWS_MSK_IAM, which MSK offers over TLS alone, at port 9098: set it "+
			"to true")
	case mechanism == OAuthBearer:
		v.oauth(s.OAuth)
	case password:
		if s.Username == "" {
			v.fault("kafka.sasl.username", "empty, but kafka.sasl.mechanism is set: name the user")
		}
		v.secret("kafka.sasl.password", s.Password, s.PasswordFile)
	}
}

// secret checks a secret that is set, or in a file.
func (v *validator) secret(path, value, file string) {
	switch {
	case value == "" && file == "":
		v.fault(path, "empty, but kafka.sasl.mechanism is set: set it, or %sFile", path)
	case value != "" && file != "":
		v.fault(path+"File", "%q is set, and %s too: keep one", file, path)
	case file != "":
		v.file(path+"File", file)
	}
}

// extension is what RFC 7628 permits, section 3.1.
var extension = regexp.MustCompile(`^[A-Za-z]+=[\x20-\x7e]+$`)

func (v *validator) oauth(o OAuth) {
	const section = "kafka.sasl.oauth."
	for _, e := range o.Extensions {
		if name, _, _ := strings.Cut(e, "="); !extension.MatchString(e) || name == "auth" {
			v.fault(section+"extensions", "%q is no extension: write name=value, with letters as the name; the name auth is the token's", e)
		}
	}
	switch {
	case o.TokenFile == "" && o.TokenEndpoint == "":
		v.fault(section+"tokenFile", "empty, and so is %stokenEndpoint: name the file or the URL that tokens come from", section)
	case o.TokenFile != "" && o.TokenEndpoint != "":
		v.fault(section+"tokenFile", "%q is set, and %stokenEndpoint too: keep one", o.TokenFile, section)
	case o.TokenFile != "":
		v.file(section+"tokenFile", o.TokenFile)
	default:
		if u, err := url.Parse(o.TokenEndpoint); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
			v.fault(section+"tokenEndpoint", "%q is no URL without a user: write it as in https://login.example.com/oauth2/token",
				shownURL(o.TokenEndpoint))
		}
		if o.ClientID == "" {
			v.fault(section+"clientId", "empty, but %stokenEndpoint is set: name the client", section)
		}
		v.secret(section+"clientSecret", o.ClientSecret, o.ClientSecretFile)
	}
}

// hostPort checks host:port. A server may leave the host out and take any port by 0; a broker may not.
func hostPort(s string, broker bool) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		if addr := (*net.AddrError)(nil); errors.As(err, &addr) {
			return errors.New(addr.Err)
		}
		return err
	}
	if broker && host == "" {
		return errors.New("no host")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || broker && n == 0 {
		return fmt.Errorf("port %q is not a number from 1 to 65535", port)
	}
	return nil
}
