package pipeline_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
)

// login is the password of a process, and its connections, which a test cuts.
type login struct {
	mu          sync.Mutex // covers all below
	password    string
	connections []net.Conn
}

func (l *login) change(password string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.password = password
	for _, c := range l.connections {
		c.Close()
	}
	l.connections = nil
}

func (l *login) opts(net *kfake.VirtualNetwork) []kgo.Opt {
	return []kgo.Opt{kgo.SASL(plain.Plain(func(context.Context) (plain.Auth, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return plain.Auth{User: "footfall", Pass: l.password}, nil
	})), kgo.Dialer(l.dialer(net))}
}

func (l *login) dialer(network *kfake.VirtualNetwork) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, kind, address string) (net.Conn, error) {
		c, err := network.DialContext(ctx, kind, address)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.connections = append(l.connections, c)
		return c, err
	}
}

// TestPasswordIsReplaced: the logins of a process that counts are refused for a while, until it reads the password that the brokers take.
// It continues, and ends where they are refused for too long.
func TestPasswordIsReplaced(t *testing.T) {
	testworld.InBubble(t, 1, func(t *testing.T, b *testworld.World) {
		right := login{password: "secret"}
		mine := login{password: "secret"}
		w := &testpipeline.World{T: t, Topic: testpipeline.TestTopic, Cluster: b.Cluster, Table: b.Table,
			Client: testworld.Client(t, append(b.Kafka, right.opts(b.Network)...)), Seeds: append(b.Kafka, mine.opts(b.Network)...)}
		w.Begin()
		event := record{Key: "s", At: bubbleStart, Value: []byte(`{"siteId":"s","type":"click","timestamp":946684800000,"visitorId":"v"}`)}
		w.Cluster.ControlKey(kmsg.SASLAuthenticate.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
			w.Cluster.KeepControl()
			refused := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
			refused.ErrorCode = kerr.SaslAuthenticationFailed.Code
			return refused, nil, strings.Contains(string(req.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes), "another")
		})
		p := w.Start(w.Options())
		w.Produce(event)
		w.Settled()
		for range 3 { // Each time, five minutes begin again.
			mine.change("another")
			w.Produce(event)
			w.Pass(4 * time.Minute)
			if w.Behind() == nil {
				t.Error("an event was counted without a login")
			}
			mine.change("secret")
			w.Settled()
			w.Pass(6 * time.Minute)
		}
		mine.change("another")
		if err := <-p.Done; err == nil || !strings.Contains(err.Error(), "refuses these credentials") {
			t.Errorf("Run = %v", err)
		}
	}, kfake.SeedTopics(1, testpipeline.TestTopic), kfake.EnableSASL(), kfake.Superuser("PLAIN", "footfall", "secret"))
}
