//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// Each way to encrypt and to log in that the configuration offers works against a real broker, from the first event
// to the recount, and each mistake that an operator can make ends with a message that names the setting.
func TestRealSecuredListeners(t *testing.T) {
	slow.Test(t)
	broker, files := testenv.SecureKafka(t)
	tls := []string{"FOOTFALL_KAFKA_TLS_ENABLED=true", "FOOTFALL_KAFKA_TLS_CA=" + files.CA}
	user := []string{"FOOTFALL_KAFKA_SASL_USERNAME=" + broker.User, "FOOTFALL_KAFKA_SASL_PASSWORD=" + broker.Password}
	certificate := certified(files)
	expired, foreign := testenv.ClientFiles{Cert: files.Cert + ".expired", Key: files.Key + ".expired"},
		testenv.ClientFiles{Cert: files.Cert + ".foreign", Key: files.Key + ".foreign"}
	broker.Authority.Issue(t, expired, broker.User, -time.Minute)
	testenv.NewAuthority(t).Issue(t, foreign, broker.User, time.Hour)
	endpoint := broker.TokenEndpoint(t, 30*time.Second)
	const of = "FOOTFALL_KAFKA_SASL_OAUTH_"
	client := []string{of + "TOKEN_ENDPOINT=" + endpoint.URL, of + "CLIENT_ID=" + broker.User, of + "CLIENT_SECRET=" + broker.Password}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(broker.Token(t, time.Hour)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, way := range []struct {
		name, addr string
		env        []string
		wrong      []mistake
	}{
		{"mutual TLS", broker.MTLS, join(tls, certificate), []mistake{
			{"no certificate", tls, []string{"kafka.tls.cert"}},
			{"certificate that has expired", join(tls, certified(expired)), []string{"kafka.tls.cert", expired.Cert, "expired"}},
			{"certificate of another authority", join(tls, certified(foreign)), []string{"kafka.tls.cert", foreign.Cert}},
			{"another authority", join(tls, certificate, []string{"FOOTFALL_KAFKA_TLS_CA=" + files.Cert}), []string{"TLS", "kafka.tls.ca"}},
			{"no TLS", []string{"FOOTFALL_KAFKA_TLS_ENABLED=false"}, []string{"kafka.tls.enabled"}},
		}},
		{"plain", broker.SASL, join(tls, user, mechanism("plain")), loginMistakes(tls, user, "plain")},
		{"scram-sha-256", broker.SASL, join(tls, user, mechanism("scram-sha-256")), loginMistakes(tls, user, "scram-sha-256")},
		{"scram-sha-512", broker.SASL, join(tls, user, mechanism("scram-sha-512")), loginMistakes(tls, user, "scram-sha-512")},
		{"token endpoint", broker.SASL, join(tls, client, mechanism("oauthbearer")), []mistake{
			{"wrong secret", join(tls, client, mechanism("oauthbearer"), []string{of + "CLIENT_SECRET=wrong"}),
				[]string{"no login", "tokenEndpoint " + endpoint.URL, "401", "clientSecret"}},
			{"another audience", join(tls, client, mechanism("oauthbearer"), []string{of + "AUDIENCE=others"}),
				[]string{"kafka.sasl.oauth", "audience"}},
		}},
		{"token file", broker.SASL, join(tls, []string{of + "TOKEN_FILE=" + token}, mechanism("oauthbearer")), nil},
	} {
		t.Run(way.name, func(t *testing.T) {
			topic := testenv.Topic(t, broker.Addr, 1, nil)
			s := newStage(way.addr, topic, "sqlite://"+filepath.Join(t.TempDir(), "footfall.db"))
			s.execute(t, "table", "create")
			base := s.env
			for _, m := range way.wrong {
				s.env = join(base, m.env)
				t.Run(m.name, func(t *testing.T) { s.refuses(t, m.says, "run") })
			}
			s.env = join(base, way.env)
			if p := s.produce(t, "--events", "50", "--rate", "0", "--buckets", "1"); p.Sent != 50 {
				t.Fatalf("produced %+v, want 50 sent", p)
			}
			p := s.consume(t, "consumer")
			eventually(t, "all events are counted", func() bool {
				p.running()
				sum := int64(0)
				for _, n := range s.counted(t) {
					sum += n
				}
				return sum == 50
			})
			p.drain()
			s.verify(t)
		})
	}
}

// mistake is a configuration that the broker refuses, and what the message about it must name.
type mistake struct {
	name string
	env  []string
	says []string
}

// loginMistakes are those of a listener that asks for a user and a password.
func loginMistakes(tls, user []string, name string) []mistake {
	wrong := []string{"FOOTFALL_KAFKA_SASL_PASSWORD=wrong"}
	return []mistake{
		{"wrong password", join(tls, user, mechanism(name), wrong), []string{`"counter"`, "kafka.sasl", "password"}},
		{"no login", tls, []string{"kafka.sasl"}},
		{"no TLS", join(user, mechanism(name)), []string{"kafka.tls.enabled"}},
	}
}

// certified names a client's certificate and key.
func certified(f testenv.ClientFiles) []string {
	return []string{"FOOTFALL_KAFKA_TLS_CERT=" + f.Cert, "FOOTFALL_KAFKA_TLS_KEY=" + f.Key}
}

func mechanism(name string) []string { return []string{"FOOTFALL_KAFKA_SASL_MECHANISM=" + name} }

// join puts lists of environment variables into one that shares memory with none; of a variable that occurs twice, the
// later one holds.
func join(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var tokenLoad = flag.Duration("tokens.load", 45*time.Second, "how long events come under tokens of 30 s")

// TestRealTokensAreRenewed: tokens expire after 30 s, and the broker ends connections that do not authenticate again within 20 s. Nothing
// shows it: no warning, no flush done again, and all is counted.
func TestRealTokensAreRenewed(t *testing.T) {
	slow.Test(t)
	broker, files := testenv.SecureKafka(t)
	endpoint := broker.TokenEndpoint(t, 30*time.Second)
	s := newStage(broker.SASL, testenv.Topic(t, broker.Addr, 4, nil), "sqlite://"+filepath.Join(t.TempDir(), "footfall.db"))
	const of = "FOOTFALL_KAFKA_SASL_OAUTH_"
	s.env = join(s.env, mechanism("oauthbearer"), []string{"FOOTFALL_KAFKA_TLS_ENABLED=true", "FOOTFALL_KAFKA_TLS_CA=" + files.CA,
		of + "TOKEN_ENDPOINT=" + endpoint.URL, of + "CLIENT_ID=" + broker.User, of + "CLIENT_SECRET=" + broker.Password,
		"FOOTFALL_INTERVALS_STATS=2s"})
	s.execute(t, "table", "create")
	p := s.consume(t, "consumer")
	const rate = 40
	events := rate * int64(tokenLoad.Seconds())
	if made := s.produce(t, "--events", fmt.Sprint(events), "--rate", fmt.Sprint(rate), "--buckets", "1"); made.Sent != events {
		t.Fatalf("produced %+v, want %d sent", made, events)
	}
	eventually(t, "all events are counted", func() bool {
		p.running()
		sum := int64(0)
		for _, n := range s.counted(t) {
			sum += n
		}
		return sum == events
	})
	p.drain()
	if log := p.errors.String(); strings.Contains(log, `"redo":true`) || strings.Contains(log, "SASL") || strings.Contains(log, "oauth") {
		t.Errorf("the log shows it:\n%s", log)
	}
	if least := int64(tokenLoad.Seconds() / 30); endpoint.Granted.Load() < 2*least {
		t.Errorf("%d tokens were granted to two processes in %v", endpoint.Granted.Load(), *tokenLoad)
	}
	s.verify(t)
	t.Logf("%d events in %v, %d tokens granted", events, *tokenLoad, endpoint.Granted.Load())
}

// TestRealCertificatesRotate: under load a client's key and certificate are replaced twice, and then the authority of brokers and clients,
// in two steps. With each the brokers restart, and soon let only who has the new certificate into the topic. No process ends, and all is
// counted once.
func TestRealCertificatesRotate(t *testing.T) {
	slow.Test(t)
	broker, files := testenv.SecureKafka(t)
	old, next := broker.Authority, testenv.NewAuthority(t)
	s := newStage(broker.MTLS, testenv.Topic(t, broker.Addr, 4, nil), "sqlite://"+filepath.Join(t.TempDir(), "footfall.db"))
	s.env = join(s.env, certified(files), []string{"FOOTFALL_KAFKA_TLS_ENABLED=true", "FOOTFALL_KAFKA_TLS_CA=" + files.CA,
		"FOOTFALL_KAFKA_GROUP=" + s.topic})
	_, adm := newStage(broker.Addr, "", "").admin(t)
	topic := func(user string, may kadm.ACLOperation) *kadm.ACLBuilder {
		return kadm.NewACLs().Topics(s.topic).ResourcePatternType(kadm.ACLPatternLiteral).Operations(may).Allow("User:" + user).AllowHosts("*")
	}
	let := func(user string, may kadm.ACLOperation) {
		t.Helper()
		if _, err := adm.CreateACLs(t.Context(), topic(user, may)); err != nil {
			t.Fatal(err)
		}
	}
	let("ANONYMOUS", kadm.OpDescribe)
	let("CN="+broker.User, kadm.OpAll)
	s.execute(t, "table", "create")
	ledger := filepath.Join(t.TempDir(), "ledger")
	processes := []*process{s.consume(t, "first member"), s.consume(t, "second member"),
		s.start(t, "producer", "produce", "--rate", "40", "--buckets", "1", "--ledger", ledger)}
	user := broker.User
	for _, step := range []struct {
		user    string
		replace func(user string)
	}{
		{"second", func(user string) { old.Issue(t, files, user, time.Hour) }},
		{"third", func(user string) {
			files.Trust(t, old, next)
			old.Issue(t, files, user, time.Hour)
			broker.Certify(t, next, old, next)
		}},
		{"fourth", func(user string) {
			next.Issue(t, files, user, time.Hour)
			files.Trust(t, next)
			broker.Certify(t, next, next)
		}},
	} {
		s.countsOn(t, adm, processes)
		let("CN="+step.user, kadm.OpAll)
		step.replace(step.user)
		broker.Kill(t)
		broker.Start(t)
		s.countsOn(t, adm, processes)
		if _, err := adm.DeleteACLs(t.Context(), topic("CN="+user, kadm.OpAll)); err != nil {
			t.Fatal(err)
		}
		user = step.user
	}
	s.countsOn(t, adm, processes)
	processes[2].drain()
	v := s.verify(t)
	for _, m := range processes[:2] {
		m.drain()
	}
	sent, want := acknowledged(t, []string{ledger})
	if got := s.counted(t); v.Records != sent || !maps.Equal(got, want) {
		t.Errorf("%d records and events by site %v, and %d records and %v were acknowledged", v.Records, got, sent, want)
	}
	t.Logf("%d records, %d compared, 0 differences", v.Records, v.ComparedCount)
}

// countsOn waits until something is counted that was not in the topic when it was called. No process may have ended.
func (s *stage) countsOn(t *testing.T, adm *kadm.Client, processes []*process) {
	t.Helper()
	ends, err := adm.ListEndOffsets(t.Context(), s.topic)
	if err != nil {
		t.Fatal(err)
	}
	before := int64(0)
	ends.Each(func(end kadm.ListedOffset) { before += end.Offset })
	eventually(t, "new events are counted", func() bool {
		for _, p := range processes {
			p.running()
		}
		sum := int64(0)
		for _, n := range s.counted(t) {
			sum += n
		}
		return sum > before
	})
}
