//go:build unix

package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/faultproxy"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// How long services are away, by what the members say of it.
const (
	tableAway   = 25 * time.Second
	brokersAway = 40 * time.Second
)

// TestRealOutageOfTheTable: DynamoDB does not answer for a while, under load and while the topic is idle.
func TestRealOutageOfTheTable(t *testing.T) {
	t.Parallel()
	sideBySide(t, map[string]func(*testing.T, *stage){
		"under load": func(t *testing.T, s *stage) {
			o, resume := beginOutageOfTheTable(t, s, true)
			o.lasts(tableAway)
			resume()
			o.ends(tableAway)
		},
		"idle topic": func(t *testing.T, s *stage) {
			o, resume := beginOutageOfTheTable(t, s, false)
			o.produce() // What comes now cannot even be loaded.
			o.lasts(tableAway)
			resume()
			o.ends(tableAway)
		},
	})
}

// beginOutageOfTheTable pauses the table of a member.
func beginOutageOfTheTable(t *testing.T, s *stage, load bool) (o *outage, resume func()) {
	t.Helper()
	proxy := faultproxy.New(faultproxy.Options{Target: s.endpoint})
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	s.set("AWS_ENDPOINT_URL_DYNAMODB", server.URL)
	o = newOutage(t, s, "table", load)
	o.begun = time.Now()
	resume = sync.OnceFunc(proxy.Pause())
	t.Cleanup(resume)
	return o, resume
}

// TestRealOutageOfTheBrokers: Kafka does not answer for a while, under load and while the topic is idle.
func TestRealOutageOfTheBrokers(t *testing.T) {
	slow.Test(t) // Before it starts a broker of its own.
	broker := testenv.OwnBroker(t)
	loaded, idle := newOutage(t, realStage(t), "brokers", true), newOutage(t, realStage(t), "brokers", false)
	loaded.begun, idle.begun = time.Now(), time.Now()
	broker.Pause(t)
	resume := sync.OnceFunc(func() { broker.Resume(t) })
	t.Cleanup(resume)
	for _, o := range []*outage{loaded, idle} {
		o.lasts(brokersAway)
	}
	resume()
	for _, o := range []*outage{loaded, idle} {
		o.ends(brokersAway)
	}
}

// outage is what a member says and shows while a service does not answer.
type outage struct {
	*stage
	t        *testing.T
	service  string // as the member names it
	member   *process
	addr     string
	ledgers  []string
	producer *process  // of the load; nil: the topic is idle
	begun    time.Time // when the service was paused
}

// newOutage starts a member, which has counted something when the outage may begin.
func newOutage(t *testing.T, s *stage, service string, load bool) *outage {
	t.Helper()
	o := &outage{stage: s, t: t, service: service}
	s.topic = testenv.Topic(t, s.brokers, 4, nil)
	s.set("FOOTFALL_KAFKA_TOPIC", s.topic)
	s.set("FOOTFALL_KAFKA_GROUP", s.topic)
	s.execute(t, "table", "create")
	o.member = s.consume(t, "member", "--http", "127.0.0.1:0")
	o.addr = serving(o.member)
	if load {
		o.producer = s.start(t, "producer", "produce", "--rate", "20", "--sites", "5", "--buckets", "8", "--ledger", o.ledger())
		eventually(t, "some flushes are in the table", func() bool { return o.metrics()["footfall_flushes_total"] > 10 })
		return o
	}
	o.produce()
	eventually(t, "all is in the table", func() bool {
		m := o.metrics()
		return m["footfall_records_total"] > 0 && m["footfall_lag_records"] == 0 && m["footfall_staleness_seconds"] == 0
	})
	return o
}

func (o *outage) ledger() string {
	name := filepath.Join(o.t.TempDir(), "ledger")
	o.ledgers = append(o.ledgers, name)
	return name
}

// produce publishes some events at once.
func (o *outage) produce() {
	o.t.Helper()
	o.stage.produce(o.t, "--rate", "200", "--events", "200", "--sites", "5", "--buckets", "8", "--seed", fmt.Sprint(len(o.ledgers)),
		"--ledger", o.ledger())
}

func (o *outage) metrics() metrics {
	o.t.Helper()
	m, err := scrape(o.addr)
	if err != nil {
		o.member.running()
		return nil
	}
	return m
}

// ready asks the member whether it is.
func (o *outage) ready() (status int, text string) {
	o.t.Helper()
	client := http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get("http://" + o.addr + "/readyz")
	if err != nil {
		o.member.running()
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	return resp.StatusCode, string(body)
}

// said returns the lines of the member's log that begin so, from the pause on: before that, a busy machine may have been late to answer.
func (o *outage) said(begin string) (lines []entry) {
	for _, e := range o.member.entries() {
		if strings.HasPrefix(e.Msg, begin) && e.Time.After(o.begun) {
			lines = append(lines, e)
		}
	}
	return lines
}

// lasts waits until the member has waited so long, by what /readyz says, and has warned, with the last error and with what waits. It then
// shows how old the first record is that waits.
func (o *outage) lasts(long time.Duration) {
	o.t.Helper()
	asked := o.start(o.t, "status", "status") // It gives up after a while.
	silence := regexp.MustCompile("not ready: no answer from the " + o.service + ` for ([^,]+), last error: .+`)
	var waited time.Duration
	var warnings []entry
	eventually(o.t, fmt.Sprintf("the log and /readyz say that the %s gives no answer for %v", o.service, long), func() bool {
		warnings = o.said("no answer from the " + o.service + ": nothing is lost")
		status, text := o.ready()
		if found := silence.FindStringSubmatch(text); found != nil && status == http.StatusServiceUnavailable {
			waited, _ = time.ParseDuration(found[1])
		}
		return waited >= long && len(warnings) > 0
	})
	if m := o.metrics(); m["footfall_outage_seconds{"+o.service+"}"] == 0 {
		o.t.Errorf("footfall_outage_seconds{service=%q} is 0", o.service)
	}
	if warnings[0].Level != "WARN" || warnings[0].Error == "" {
		o.t.Fatalf("the log says %+v, want a warning with the last error", warnings)
	}
	if o.service == "table" { // Of what waits at the brokers a member knows nothing.
		o.waits(warnings[0])
	}
	asked.wait(3)
	if out, errs := asked.out.String(), asked.errors.String(); out != "" || !strings.Contains(errs, "no answer") {
		o.t.Errorf("footfall status prints %q and %q, want that there is no answer", out, errs)
	}
}

// waits fails the test unless the metrics, and the warning under load, say what waits for the table.
func (o *outage) waits(warning entry) {
	o.t.Helper()
	if warning.Records == 0 || o.producer != nil && warning.Flushes == 0 || !strings.Contains(warning.Error, "outcome unknown") {
		o.t.Errorf("the warning says that %d flushes and %d records wait, and the last error was %q", warning.Flushes, warning.Records,
			warning.Error)
	}
	m := o.metrics()
	for _, name := range []string{"footfall_lag_records", "footfall_staleness_seconds{stats}", "footfall_staleness_seconds{realtime}"} {
		if m[name] == 0 {
			o.t.Errorf("%s is 0, and records wait", name)
		}
	}
}

// ends waits until the member says that the outage is over, and how long it was. It is the same process, it is ready, and the numbers
// are right.
func (o *outage) ends(long time.Duration) {
	o.t.Helper()
	eventually(o.t, "the log says that the outage is over", func() bool {
		o.member.running()
		return len(o.said("the outage of the "+o.service+" is over")) > 0
	})
	over := o.said("the outage of the " + o.service + " is over")
	lasted, err := time.ParseDuration(over[0].Lasted)
	if err != nil || lasted < long || over[0].Level != "INFO" {
		o.t.Errorf("the log says %+v, want a line of INFO, and that it lasted %v at least", over, long)
	}
	eventually(o.t, "the member is ready, and shows no outage", func() bool {
		status, text := o.ready()
		m := o.metrics()
		return status == http.StatusOK && text == "ok\n" && m != nil && m["footfall_outage_seconds{"+o.service+"}"] == 0
	})
	if o.producer != nil {
		o.producer.drain()
	}
	v := o.verify(o.t)
	o.member.drain()
	sent, want := acknowledged(o.t, o.ledgers)
	if got := o.counted(o.t); v.Records != sent || !maps.Equal(got, want) {
		o.t.Errorf("%d records and events by site %v, and %d records and %v were acknowledged", v.Records, got, sent, want)
	}
}
