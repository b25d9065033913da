package requests

import (
	"context"
	"errors"
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

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/telemetry"
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

// A table that is away for 140 s is warned about after 10 s and once a minute, and its return is logged. What comes before and after it
// says nothing, however long the pipeline is idle.
func TestOutageOfTheTableIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := new(awayTable)
		send := NewSender(table, 8, telemetry.NewMetrics(prometheus.NewRegistry()))
		log, lines := testworld.Spoken()
		look := func(seconds int) {
			for tick := time.NewTicker(time.Second); seconds > 0; seconds-- {
				now := <-tick.C
				send.Outage.Report(now, log, "lagRecords", 7)
				send.Outage.Show(now, send.Metrics.Outage)
			}
		}
		shown := func() float64 { return testutil.ToFloat64(send.Metrics.Outage.WithLabelValues(telemetry.ServiceTable)) }
		update := func() { send.Update(t.Context(), nil, "hour stats", sinks.Update{}) }
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
		send := NewSender(table, 8, telemetry.NewMetrics(prometheus.NewRegistry()))
		log, lines := testworld.Spoken()
		table.away.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		if _, err := send.Update(ctx, nil, "hour stats", sinks.Update{}); err == nil {
			t.Fatal("an update of a table that is away succeeded")
		}
		send.Outage.Report(time.Now().Add(time.Hour), log)
		for range 20 {
			send.Outage.Asked(time.Now())
			send.Outage.Heard(time.Now(), nil)
			send.Outage.Report(time.Now().Add(9*time.Second), log)
		}
		if got := lines(); len(got) > 0 {
			t.Errorf("the log says %q, want nothing", got)
		}
	})
}

func TestOutageOfTheBrokersIsLogged(t *testing.T) {
	o := NewBrokerOutage()
	log, lines := testworld.Spoken()
	begin := time.Now()
	o.Asked(begin)
	o.OnBrokerE2E(kgo.BrokerMetadata{}, 1, kgo.BrokerE2E{})
	var none net.Conn
	o.OnBrokerConnect(kgo.BrokerMetadata{}, 0, none, errors.New("connection refused"))
	o.Report(begin.Add(9*time.Second), log)
	o.Report(begin.Add(15*time.Second), log)
	o.Report(begin.Add(20*time.Second), log)
	o.OnBrokerE2E(kgo.BrokerMetadata{}, 1, kgo.BrokerE2E{ReadErr: errors.New("timeout")})
	o.Report(begin.Add(80*time.Second), log)
	o.OnBrokerE2E(kgo.BrokerMetadata{}, 1, kgo.BrokerE2E{})
	o.Report(begin.Add(5*time.Second), log)
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
	o := NewOutage("table")
	log, lines := testworld.Spoken()
	now := time.Now()
	o.Asked(now)
	const minutes = 60
	for second := 1; second <= minutes*60; second++ {
		now = now.Add(time.Second)
		if second%12 == 0 {
			o.Heard(now, nil)
		}
		o.Report(now, log)
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
