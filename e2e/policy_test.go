//go:build unix

package e2e

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

var updatePolicies = flag.Bool("update-policies", false, "write docs/iam/*.json from the requests that the commands make")

// Each role's policy in docs/iam allows exactly what its commands need: a proxy refuses all other requests, and
// a grant that no command has used is a fault as well. After a change: docs/iam.md has the command that writes them.
func TestRealPolicies(t *testing.T) {
	slow.Test(t)
	endpoint, brokers := testenv.DynamoDB(t), testenv.Kafka(t)
	name := testenv.UniqueName(t)
	topic := testenv.Topic(t, brokers, 1, nil)
	roles := make(map[string]*policyProxy)
	as := func(role string) *stage {
		p := newPolicyProxy(t, endpoint, readPolicy(t, "../docs/iam/"+role+".json"))
		roles[role] = p
		s := newStage(brokers, topic, "dynamodb://"+name)
		for variable, value := range testenv.AWSEnv(p.endpoint) {
			s.set(variable, value)
		}
		s.set("AWS_ENDPOINT_URL_APPLICATION_AUTO_SCALING", p.endpoint)
		s.set("FOOTFALL_SEAL_AFTER", "1m")
		s.set("FOOTFALL_SEAL_INTERVAL", "1s")
		return s
	}
	admin, run, query, serve := as("admin"), as("run"), as("query"), as("serve")
	const site = "shop.example"

	admin.execute(t, "table", "create")
	execute(t, admin.env, "table", "create", "--recovery") // DynamoDB Local has no recovery: only the requests matter.
	admin.execute(t, "table", "describe")
	admin.execute(t, "site", "create", site, "--owner", "team", "--domains", site)
	admin.execute(t, "goal", "create", site, "paid", "--on", "event:purchase")
	admin.execute(t, "funnel", "create", site, "buy", "--step", "page:/", "--step", "page:/docs")

	admin.execute(t, "alert", "create", site, "quiet", "--when", "silence", "--webhook", "https://hooks.example/footfall")

	p := run.consume(t, "consumer", "--http", "127.0.0.1:0")
	admin.produce(t, "--events", "300", "--rate", "0", "--sites", "2")
	// A day that is over is sealed. An hour of it is large: after a flush with few events of it the next event goes to the journal,
	// many events are merged with that, and the next flush deletes the entry.
	produced := int64(0)
	for _, events := range []int{500, 1, 1, 500, 1} {
		produced += admin.produce(t, "--from-file", yesterday(t, site, events)).Sent
		eventually(t, "yesterday's events are counted", func() bool {
			p.running()
			return query.stats(t, site, "-3d", "-12h", "hour").Totals.Events == produced
		})
	}
	poll(t, nowAndThen, "yesterday is sealed", func() bool {
		p.running()
		m, err := scrape(serving(p))
		return err == nil && m["footfall_sealed_items_total"] > 0
	})
	p.drain()
	run.set("FOOTFALL_RAW_EVENTS", "items") // Packs are put one at a time, items in batches.
	p = run.consume(t, "next consumer")
	produced += admin.produce(t, "--from-file", yesterday(t, site, 2)).Sent
	eventually(t, "events are counted whose raw events are items", func() bool {
		p.running()
		return query.stats(t, site, "-3d", "-12h", "hour").Totals.Events == produced
	})
	p.drain()

	for _, command := range []string{
		"query sites", "query site SITE", "query stats SITE", "query uniques SITE --from -1d", "query top SITE page", "query realtime SITE",
		"query sessions SITE", "query sessions SITE --visitor v1", "query events SITE --from -1h", "query goals SITE",
		"query conversions SITE paid",
		"query explain PIPELINE TABLE", "site list --owner team", "site show SITE", "goal list SITE", "funnel list SITE",
		"funnel report SITE buy", "query alerts SITE", "alert list SITE", "alert try SITE --when silence --from -3h",
		"export events SITE --from -2d", "export visitor SITE v1", "erase list", "status", "upgrade status", "rebuild status",
	} {
		query.execute(t, strings.Fields(strings.ReplaceAll(command, "SITE", site))...)
	}
	query.verify(t)
	askServed(t, admin, serve, site)
	for role, s := range map[string]*stage{"run": run, "query": query, "serve": serve, "admin": admin} {
		s.execute(t, "doctor", "--role", role)
	}

	for _, command := range []string{"rebuild --flip", "rebuild back", "rebuild drop"} {
		run.execute(t, strings.Fields(command)...)
	}
	damaged := damageSession(t, name, site, "s1")
	admin.execute(t, "table", "quarantine", damaged.PK, damaged.SK)
	p = run.consume(t, "consumer that learns of decisions")
	for _, command := range []string{
		"site update SITE --name Shop", "goal update SITE paid --name Paid", "goal delete SITE paid", "funnel update SITE buy --name Buy",
		"funnel delete SITE buy", "alert delete SITE quiet", "erase visitor SITE v1 --yes --no-wait", "failed replay", "site delete SITE --yes",
		"table update --read-capacity 5 --write-capacity 5 --max-read-capacity 10 --max-write-capacity 10", "table update --on-demand",
		"upgrade finalize",
	} {
		admin.execute(t, strings.Fields(strings.ReplaceAll(command, "SITE", site))...)
	}
	moved := "dynamodb://" + name + "-moved"
	mustExecute(t, append(admin.env, "FOOTFALL_TABLE="+moved), "table", "create")
	for _, command := range []string{"site create left", "site delete left --yes", "site move left --yes --to-table " + moved} {
		admin.execute(t, strings.Fields(command)...)
	}
	p.drain()
	admin.execute(t, "topic", "adopt", "--brokers", mirrorOf(t, brokers, topic), "--from-brokers", brokers)
	admin.execute(t, "table", "delete", "--yes")
	for role, p := range roles {
		p.check(t, "../docs/iam/"+role+".json")
	}
}

// mirrorOf copies a topic of one partition to another cluster, and returns its brokers.
func mirrorOf(t *testing.T, brokers, topic string) string {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	from := testworld.Client(t, []kgo.Opt{kgo.SeedBrokers(brokers), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		topic: {0: kgo.NewOffset().AtStart()}})})
	to := testworld.Client(t, []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)})
	ends, err := kadm.NewClient(from).ListEndOffsets(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	end, _ := ends.Lookup(topic, 0)
	for next := int64(0); next < end.Offset; {
		fetched := from.PollFetches(t.Context())
		list := fetched.Records()
		if err := errors.Join(fetched.Err(), to.ProduceSync(t.Context(), list...).FirstErr()); err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			next = list[len(list)-1].Offset + 1
		}
	}
	return strings.Join(cluster.ListenAddrs(), ",")
}

// askServed starts footfall serve with tokens, and asks it with one.
func askServed(t *testing.T, admin, serve *stage, site string) {
	t.Helper()
	var created struct{ ID, Token string }
	admin.answer(t, &created, "token", "create", "--site", site, "--right", "read", "--right", "annotate")
	p := serve.start(t, "serve", "serve", "--require-token", "--listen", "127.0.0.1:0")
	address := ""
	eventually(t, "footfall serve prints its address", func() bool {
		p.running()
		_, rest, ok := strings.Cut(p.out.String(), " at ")
		address = strings.TrimSpace(rest)
		return ok && strings.HasSuffix(rest, "\n")
	})
	ask := func(method, path, body string, status int) (answer []byte) {
		r, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+created.Token)
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		answer, err = io.ReadAll(got.Body)
		if err != nil || got.StatusCode != status {
			t.Errorf("%s %s: %s, %s, %v; want %d", method, path, got.Status, answer, err, status)
		}
		return answer
	}
	for _, path := range []string{"", "sites/" + site, "api/v1/sites", "api/v1/sites/" + site + "/stats", "api/v1/sites/" + site + "/alerts"} {
		ask(http.MethodGet, path, "", http.StatusOK)
	}
	annotations := "api/v1/sites/" + site + "/annotations"
	var annotated struct{ AnnotationID string }
	text := ask(http.MethodPost, annotations, `{"at":"2026-05-12T14:00:00Z","text":"A release"}`, http.StatusCreated)
	if err := json.Unmarshal(text, &annotated); err != nil || annotated.AnnotationID == "" {
		t.Fatalf("an annotation: %s, %v", text, err)
	}
	ask(http.MethodDelete, annotations+"/"+annotated.AnnotationID, "", http.StatusNoContent)
	p.drain()
	if list := admin.execute(t, "token", "list"); !strings.Contains(list, time.Now().UTC().Format(time.DateOnly)) {
		t.Errorf("the last use is not kept: %s", list)
	}
	admin.execute(t, "token", "revoke", created.ID)
}

// damageSession overwrites the state of a session of partition 0.
func damageSession(t *testing.T, table, site, session string) sinks.Key {
	t.Helper()
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	if err != nil {
		t.Fatal(err)
	}
	key := sinks.Keys{}.Session(site, session, sinks.TP{Topic: 1}, sinks.DefaultShards)
	r, err := retry.Policy{Within: patience}.Table(dynamo.New(client, table)).Update(t.Context(),
		sinks.Update{Key: key, Set: []sinks.Attr{{Name: sinks.AttrCur, Value: sinks.Str("damaged")}},
			If: []sinks.Cond{{Attr: sinks.AttrCur, Op: sinks.Present}}})
	if err != nil || r.Refused {
		t.Fatalf("damage session %v: refused %v, %v", key, r.Refused, err)
	}
	return key
}

// yesterday writes a file of events of one hour of yesterday. Their pages hardly compress.
func yesterday(t *testing.T, site string, events int) (file string) {
	t.Helper()
	at := time.Now().UTC().Add(-24 * time.Hour).Truncate(time.Hour).Format(time.RFC3339)
	var lines strings.Builder
	for n := range events {
		fmt.Fprintf(&lines, `{"siteId":%q,"type":"page_view","visitorId":"v%d","sessionId":"s%d","timestamp":%q,"url":"https://%s/%s"}`+"\n",
			site, n, n, at, site, rand.Text()+rand.Text())
	}
	file = filepath.Join(t.TempDir(), "yesterday.ndjson")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
