//go:build unix

package e2e

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/verify/finding"
)

// A stage is a broker, a topic of a test's own on it, and a table of its own. Its env configures footfall for them.
type stage struct {
	brokers, topic, table string
	env                   []string
	rate                  int                // events a second that it takes easily beside whatever else the machine does
	endpoint              string             // of DynamoDB Local; "" with a table in SQLite
	restartBroker         func(t *testing.T) // ends the broker under everybody's feet, and starts it again
}

// onStages runs a test on the embedded broker with SQLite, and on real Kafka with DynamoDB Local where Docker
// answers and long tests are asked for. The topic and the table do not exist yet.
func onStages(t *testing.T, test func(*testing.T, *stage)) {
	onEmbedded(t, test)
	onReal(t, test)
}

// onEmbedded runs a test on the embedded broker with SQLite.
func onEmbedded(t *testing.T, test func(*testing.T, *stage)) {
	t.Run("embedded", func(t *testing.T) {
		dir := t.TempDir()
		broker, err := embedded.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := broker.Close(); err != nil {
				t.Error(err)
			}
		})
		expireSessions(t, broker.Addr())
		s := newStage(broker.Addr(), "events", "sqlite://"+filepath.Join(dir, "footfall.db"))
		s.restartBroker = func(t *testing.T) {
			if err := broker.Close(); err != nil {
				t.Fatal(err)
			}
			if broker, err = embedded.Open(dir); err != nil {
				t.Fatal(err)
			}
			expireSessions(t, broker.Addr())
		}
		test(t, s)
	})
}

// onReal runs a test on real Kafka with DynamoDB Local.
func onReal(t *testing.T, test func(*testing.T, *stage)) {
	t.Run("real", func(t *testing.T) { test(t, realStage(t)) })
}

// realStage is real Kafka with DynamoDB Local. The topic and the table do not exist yet.
func realStage(t *testing.T) *stage {
	t.Helper()
	slow.Test(t)
	return stageOn(t, testenv.OwnBroker(t))
}

// stageOn is a broker with DynamoDB Local. The topic and the table do not exist yet.
func stageOn(t *testing.T, broker *testenv.Broker) *stage {
	t.Helper()
	endpoint := testenv.DynamoDB(t)
	name := testenv.UniqueName(t)
	s := newStage(broker.Addr, name, "dynamodb://"+name)
	s.endpoint = endpoint
	s.restartBroker = func(t *testing.T) {
		broker.Kill(t)
		broker.Start(t)
	}
	s.rate = 50 // DynamoDB Local takes some hundred writes a second of a core.
	for variable, value := range testenv.AWSEnv(endpoint) {
		s.set(variable, value)
	}
	return s
}

// expireSessions lets a broker give up silent members of the groups that it balances after a few seconds, as
// testenv's does, and not only after 45.
func expireSessions(t *testing.T, broker string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	session, heartbeat := "6000", "1000" // milliseconds
	r, err := kadm.NewClient(cl).AlterBrokerConfigs(t.Context(), []kadm.AlterConfig{
		{Name: "group.consumer.session.timeout.ms", Value: &session},
		{Name: "group.consumer.heartbeat.interval.ms", Value: &heartbeat}})
	for _, one := range r {
		err = errors.Join(err, one.Err)
	}
	if err != nil {
		t.Fatalf("configure the broker: %v", err)
	}
}

func newStage(brokers, topic, table string) *stage {
	return &stage{brokers: brokers, topic: topic, table: table, rate: 250, env: []string{
		"FOOTFALL_KAFKA_BROKERS=" + brokers, "FOOTFALL_KAFKA_TOPIC=" + topic, "FOOTFALL_TABLE=" + table,
		"FOOTFALL_INTERVALS_STATS=500ms", "FOOTFALL_INTERVALS_REALTIME=200ms",
		"FOOTFALL_LOG_FORMAT=json",
	}}
}

// forever makes footfall keep everything, as history needs it.
func (s *stage) forever() {
	for _, kind := range []string{"RAW", "SESSION", "HOUR", "DAY"} {
		s.env = append(s.env, "FOOTFALL_RETENTION_"+kind+"=never")
	}
}

// countBots has bots count like people, as who counted the same data did.
func (s *stage) countBots() {
	s.set("FOOTFALL_BOTS_LISTS", "false")
	s.set("FOOTFALL_BOTS_RATE", "0")
}

// set sets a variable of footfall's environment.
func (s *stage) set(name, value string) { s.env = append(s.env, name+"="+value) }

func (s *stage) start(t *testing.T, name string, args ...string) *process {
	t.Helper()
	return start(t, name, s.env, args...)
}

func (s *stage) execute(t *testing.T, args ...string) string {
	t.Helper()
	return mustExecute(t, s.env, args...)
}

// consume starts footfall run and waits until it has something to consume.
func (s *stage) consume(t *testing.T, name string, args ...string) *process {
	t.Helper()
	p := s.start(t, name, append([]string{"run"}, args...)...)
	eventually(t, name+" acquires a partition", func() bool {
		p.running()
		return strings.Contains(p.errors.String(), `"msg":"partition acquired"`)
	})
	return p
}

// answer runs footfall and reads the JSON that it prints into into.
func (s *stage) answer(t *testing.T, into any, args ...string) {
	t.Helper()
	out, errs, code := execute(t, s.env, append(args, "--output", "json")...)
	unwell := code == 1 && args[0] == "status" // A partition waits for an operator.
	if code != 0 && code != 3 && !unwell {     // Polls may ask for a site before its first event is counted.
		t.Fatalf("footfall %v: exit code %d\n%s%s", args, code, out, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("footfall %v: %v in\n%s", args, err, out)
	}
}

// produced is the part of a summary of footfall produce that tests look at.
type produced struct {
	Sent, Failed, Refused int64
	RefusedLines          []struct {
		Line   int64
		Reason string
	}
}

func (s *stage) produce(t *testing.T, args ...string) (p produced) {
	t.Helper()
	s.answer(t, &p, append([]string{"produce"}, args...)...)
	return p
}

// figures are the part of an answer's figures that tests look at.
type figures struct {
	Events, PageViews, Sessions int64
	UniqueVisitors              uint64
}

// statsAnswer is the part of an answer of footfall query stats that tests look at.
type statsAnswer struct {
	Buckets []struct {
		Start string
		figures
	}
	Totals       figures
	ExpiredCount int
}

func (s *stage) stats(t *testing.T, site, from, to, by string, more ...string) (a statsAnswer) {
	t.Helper()
	s.answer(t, &a, append([]string{"query", "stats", site, "--from", from, "--to", to, "--by", by}, more...)...)
	return a
}

// topAnswer is the part of an answer of footfall query top that tests look at.
type topAnswer struct {
	Rows        []topRow
	Other       topRow
	MaxIfAbsent int64
}

type topRow struct {
	Value                 string
	Events, MaxUndercount int64
}

// top asks for at most so many of the top values.
func (s *stage) top(t *testing.T, rows int, args ...string) (a topAnswer) {
	t.Helper()
	s.answer(t, &a, append([]string{"query", "top", "--limit", strconv.Itoa(rows)}, args...)...)
	return a
}

// counted returns the events of each site, of yesterday and today: a test may pass midnight.
func (s *stage) counted(t *testing.T) map[string]int64 {
	t.Helper()
	events := make(map[string]int64)
	for _, site := range s.sites(t) {
		if n := s.stats(t, site, "-2d", "now", "hour", "--include-bots").Totals.Events; n > 0 { // It may have been created for nothing.
			events[site] = n
		}
	}
	return events
}

// sites returns the ids of all sites.
func (s *stage) sites(t *testing.T) (ids []string) {
	t.Helper()
	var a struct {
		Sites []struct{ SiteID string }
	}
	s.answer(t, &a, "query", "sites", "--limit", "1000")
	for _, site := range a.Sites {
		ids = append(ids, site.SiteID)
	}
	return ids
}

// verified is the part of a report of footfall verify that tests look at.
type verified struct {
	Records, ComparedCount, DifferenceCount, UnsettledCount int64
	Compared, LeftOut                                       map[string]int64
}

// verify recounts the topic. It fails the test unless everything was compared and is equal.
func (s *stage) verify(t *testing.T) (v verified) {
	t.Helper()
	s.answer(t, &v, "verify", "--wait", (patience * 2 / 3).String())
	if v.DifferenceCount != 0 || v.ComparedCount == 0 || v.UnsettledCount != 0 {
		t.Fatalf("verify ended with exit code 0 and says %+v", v)
	}
	return v
}

// verifyRest is verify for a topic whose log has lost the records of most items. footfall reports that with an exit code of its own, and
// everything that can be recounted is equal.
func (s *stage) verifyRest(t *testing.T) (v verified) {
	t.Helper()
	out, errs, code := execute(t, s.env, "verify", "--wait", (patience * 2 / 3).String(), "--output", "json")
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 0 && code != finding.ExitLeftOut {
		t.Fatalf("verify: exit code %d, %v\n%s%s", code, err, out, errs)
	}
	if v.DifferenceCount != 0 || v.ComparedCount == 0 || v.UnsettledCount != 0 {
		t.Fatalf("verify says %+v", v)
	}
	return v
}

// readJSON reads a file of real data.
func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(realdata.Read(t, name), into); err != nil {
		t.Fatal(err)
	}
}
