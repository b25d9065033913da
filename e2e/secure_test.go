//go:build unix

package e2e

import (
	"path/filepath"
	"testing"

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
	certificate := []string{"FOOTFALL_KAFKA_TLS_CERT=" + files.Cert, "FOOTFALL_KAFKA_TLS_KEY=" + files.Key}
	for _, way := range []struct {
		name, addr string
		env        []string
		wrong      []mistake
	}{
		{"mutual TLS", broker.MTLS, join(tls, certificate), []mistake{
			{"no certificate", tls, []string{"kafka.tls.cert"}},
			{"another authority", join(tls, certificate, []string{"FOOTFALL_KAFKA_TLS_CA=" + files.Cert}), []string{"TLS", "kafka.tls.ca"}},
			{"no TLS", []string{"FOOTFALL_KAFKA_TLS_ENABLED=false"}, []string{"kafka.tls.enabled"}},
		}},
		{"plain", broker.SASL, join(tls, user, mechanism("plain")), loginMistakes(tls, user, "plain")},
		{"scram-sha-256", broker.SASL, join(tls, user, mechanism("scram-sha-256")), loginMistakes(tls, user, "scram-sha-256")},
		{"scram-sha-512", broker.SASL, join(tls, user, mechanism("scram-sha-512")), loginMistakes(tls, user, "scram-sha-512")},
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

func mechanism(name string) []string { return []string{"FOOTFALL_KAFKA_SASL_MECHANISM=" + name} }

// join puts lists of environment variables into one that shares memory with none; of a variable that occurs twice, the
// later one holds.
func join(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
