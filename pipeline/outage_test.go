package pipeline

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/sinks"
)

// awayTable answers updates unless it is away.
type awayTable struct {
	sinks.Table
	away atomic.Bool
}

func (t *awayTable) Update(context.Context, sinks.Update) (sinks.Result, error) {
	if t.away.Load() {
		return sinks.Result{}, &sinks.ThrottleError{Reasons: []string{"away"}}
	}
	return sinks.Result{}, nil
}

// spoken is a log of what outages say, a line each, without instants.
func spoken() (*slog.Logger, func() []string) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	return log, func() []string { return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' }) }
}

// A table that is away for 140 s is warned about after 10 s and once a minute, and its return is logged. What comes before and after it
// says nothing, however long the pipeline is idle.
func TestOutageOfTheTableIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := new(awayTable)
		send := newSender(table, newLimiter(8), NewMetrics(prometheus.NewRegistry()))
		log, lines := spoken()
		look := func(seconds int) {
			for tick := time.NewTicker(time.Second); seconds > 0; seconds-- {
				now := <-tick.C
				send.outage.report(now, log, "lagRecords", 7)
				send.outage.show(now, send.metrics)
			}
		}
		shown := func() float64 { return testutil.ToFloat64(send.metrics.Outage.WithLabelValues(serviceTable)) }
		update := func() { send.update(t.Context(), nil, "hour stats", sinks.Update{}) }
		update()
		look(300) // Idle: nothing waits.
		table.away.Store(true)
		done := make(chan struct{})
		go func() { update(); update(); close(done) }()
		look(9)
		if have := shown(); have != 0 {
			t.Errorf("an outage of %v s is shown after 9 s", have)
		}
		look(131)
		if have := shown(); have != 140 {
			t.Errorf("an outage of %v s is shown after 140 s", have)
		}
		table.away.Store(false)
		<-done
		look(300)
		if have := shown(); have != 0 {
			t.Errorf("an outage of %v s is shown when it is over", have)
		}
		got := lines()
		if len(got) != 4 {
			t.Fatalf("%d lines, want three warnings and the end:\n%s", len(got), strings.Join(got, "\n"))
		}
		for i, want := range []string{"level=WARN", "for=1m10s", "for=2m10s", `level=INFO msg="the outage of the table is over" lasted=2m2`} {
			if !strings.Contains(got[i], want) {
				t.Errorf("line %d is %q, want %q in it", i, got[i], want)
			}
		}
		for _, want := range []string{`no answer from the table`, "for=10s", "requests=1", "lagRecords=7", "away"} {
			if !strings.Contains(got[0], want) {
				t.Errorf("the first line is %q, want %q in it", got[0], want)
			}
		}
	})
}

// What the table refuses, it has answered; and a request whose context ends waits no more.
func TestAnswersAreNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := new(awayTable)
		send := newSender(table, newLimiter(8), NewMetrics(prometheus.NewRegistry()))
		log, lines := spoken()
		table.away.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		if _, err := send.update(ctx, nil, "hour stats", sinks.Update{}); err == nil {
			t.Fatal("an update of a table that is away succeeded")
		}
		send.outage.report(time.Now().Add(time.Hour), log)
		for range 20 {
			send.outage.asked(time.Now())
			send.outage.heard(time.Now(), nil)
			send.outage.report(time.Now().Add(9*time.Second), log)
		}
		if got := lines(); len(got) > 0 {
			t.Errorf("the log says %q, want nothing", got)
		}
	})
}

func TestOutageOfTheBrokersIsLogged(t *testing.T) {
	o := brokerOutage{outage{service: "brokers"}}
	log, lines := spoken()
	begin := time.Now()
	o.asked(begin)
	o.OnBrokerE2E(kgo.BrokerMetadata{}, 1, kgo.BrokerE2E{})
	var none net.Conn
	o.OnBrokerConnect(kgo.BrokerMetadata{}, 0, none, errors.New("connection refused"))
	o.report(begin.Add(9*time.Second), log)
	o.report(begin.Add(15*time.Second), log)
	o.report(begin.Add(20*time.Second), log)
	o.OnBrokerE2E(kgo.BrokerMetadata{}, 1, kgo.BrokerE2E{ReadErr: errors.New("timeout")})
	o.report(begin.Add(80*time.Second), log)
	o.OnBrokerE2E(kgo.BrokerMetadata{}, 1, kgo.BrokerE2E{})
	o.report(begin.Add(5*time.Second), log)
	got := lines()
	if len(got) < 2 || !strings.Contains(got[0], "connection refused") || !strings.Contains(got[1], "timeout") {
		t.Fatalf("the log says\n%s\nwant two warnings with the last error first", strings.Join(got, "\n"))
	}
	if last := got[len(got)-1]; !strings.Contains(last, "the outage of the brokers is over") || len(got) != 3 {
		t.Errorf("%d lines, the last %q, want a third that says that it is over", len(got), last)
	}
}

// A service that answers once in 12 s has two lines a minute at most, and each of its outages is in one of them.
func TestServiceThatComesAndGoesHasALineAMinute(t *testing.T) {
	o := outage{service: "table"}
	log, lines := spoken()
	now := time.Now()
	o.asked(now)
	const minutes = 60
	for second := 1; second <= minutes*60; second++ {
		now = now.Add(time.Second)
		if second%12 == 0 {
			o.heard(now, nil)
		}
		o.report(now, log)
	}
	outages := 0
	for _, line := range lines() {
		if _, after, ok := strings.Cut(line, "times="); ok {
			n, err := strconv.Atoi(strings.Fields(after)[0])
			if err != nil {
				t.Fatal(err)
			}
			outages += n
		} else if strings.Contains(line, "level=WARN") {
			outages++
		}
	}
	if n := len(lines()); n > 2*minutes || outages < minutes*60/12-6 || outages > minutes*60/12 {
		t.Errorf("%d lines about %d outages, want %d lines at most and nearly all %d outages", n, outages, 2*minutes, minutes*60/12)
	}
}
