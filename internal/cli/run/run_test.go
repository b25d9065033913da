package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/sinks"
)

func TestRunSaysWhatIsMissing(t *testing.T) {
	cluster := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
	if err := cluster.CreateTopic("compacted", 1, map[string]string{"cleanup.policy": "compact,delete"}); err != nil {
		t.Fatal(err)
	}
	broker, table := cluster.ListenAddrs()[0], clitest.NewTable(t)
	dir := t.TempDir()
	noDatabase := filepath.Join(dir, "text.db")
	if err := os.WriteFile(noDatabase, []byte("this is text, and long enough to be read as the header of a file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"unreachable broker", []string{"--brokers", "127.0.0.1:1", "--table", table},
			[]string{"no broker answers at 127.0.0.1:1: ", "connection refused: start Kafka, or set kafka.brokers (--brokers, " +
				"FOOTFALL_KAFKA_BROKERS)"}},
		{"missing topic", []string{"--brokers", broker, "--topic", "clicks", "--table", table},
			[]string{`topic "clicks" does not exist at ` + broker, "kafka-topics.sh --create --topic clicks", "(--topic)"}},
		{"compacted topic", []string{"--brokers", broker, "--topic", "compacted", "--table", table},
			[]string{`topic "compacted" has cleanup.policy=compact,delete: `, "set cleanup.policy=delete"}},
		{"missing table", []string{"--brokers", broker, "--table", "sqlite://" + dir + "/none.db"},
			[]string{"none.db: table does not exist: create it with `footfall table create --table sqlite://" + dir + "/none.db`"}},
		{"file that is no table", []string{"--brokers", broker, "--table", "sqlite://" + noDatabase},
			[]string{"text.db", "not a SQLite database: name another"}},
		{"broker and table missing", []string{"--brokers", "127.0.0.1:1", "--table", "sqlite://" + dir + "/none.db"},
			[]string{"no broker answers", "table does not exist"}},
		{"another hash key than the table's", []string{"--brokers", broker, "--table", usedTable(t)},
			[]string{"visitorHashKey (FOOTFALL_VISITOR_HASH_KEY) is set", ": leave it out"}},
		{"http address that is taken", []string{"--brokers", broker, "--table", table, "--http", broker},
			[]string{"serve http: listen tcp", "choose another address with http (--http, FOOTFALL_HTTP)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.name, "hash key") {
				t.Setenv("FOOTFALL_VISITOR_HASH_KEY", strings.Repeat("00", 16))
			}
			code, out, errs := clitest.Footfall(t, append([]string{"run"}, c.args...)...)
			if code != 1 || out != "" {
				t.Errorf("exit code %d, stdout %q; want 1 and nothing", code, out)
			}
			for _, want := range c.want {
				if !strings.Contains(errs, want) {
					t.Errorf("stderr is missing %q:\n%s", want, errs)
				}
			}
		})
	}
}

// usedTable is a table that was begun with a hash key of its own.
func usedTable(t *testing.T) (url string) {
	url = clitest.NewTable(t)
	table, err := connect.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if _, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	return url
}

func TestRunSaysWhatDynamoDBRefuses(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"wrong credentials",
			`{"__type":"com.amazon.coral.service#UnrecognizedClientException","message":"The security token included in the request is invalid."}`,
			"access denied"},
		{"missing table", `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}`,
			"create it with `footfall table create --table dynamodb://footfall`"},
		{"wrong table shape", `{"Table":{"TableName":"footfall","TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],` +
			`"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"N"}]}}`, "no update changes this: create another"},
		{"table without indexes",
			`{"Table":{"TableName":"footfall","TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},` +
				`{"AttributeName":"sk","KeyType":"RANGE"}],"AttributeDefinitions":[{"AttributeName":"pk",` +
				`"AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}]}}`, "add it with `footfall table update --table dynamodb://footfall`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				body := c.answer
				if !strings.Contains(body, `"__type"`) && !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DescribeTable") {
					body = "{}" // What else it asks of a table: time to live, backups.
				}
				w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
				if strings.Contains(body, `"__type"`) {
					w.WriteHeader(http.StatusBadRequest)
				}
				io.WriteString(w, body)
			}))
			defer server.Close()
			t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", server.URL)
			t.Setenv("AWS_REGION", "us-east-1")
			t.Setenv("AWS_ACCESS_KEY_ID", "wrong")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
			cluster := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
			code, _, errs := clitest.Footfall(t, "run", "--brokers", cluster.ListenAddrs()[0], "--table", "dynamodb://footfall")
			if code != 1 || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d, stderr %q; want 1 and %q", code, errs, c.want)
			}
		})
	}
}

// eventNow is a well-formed event of now.
func eventNow(site, visitor string) []byte {
	b, err := json.Marshal(map[string]any{"siteId": site, "type": "page_view", "timestamp": time.Now().UnixMilli(),
		"visitorId": visitor, "sessionId": "session of " + visitor, "url": "https://" + site + "/"})
	if err != nil {
		panic(err)
	}
	return b
}

func TestRunCountsServesAndDrains(t *testing.T) {
	cluster := clitest.NewBroker(t, kfake.SeedTopics(2, "events"))
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for i := range 50 {
		r := &kgo.Record{Topic: "events", Key: fmt.Append(nil, i), Value: eventNow("shop.example", fmt.Sprint(i))}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	table := clitest.NewTable(t)
	manager := clitest.Must(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"}))
	defer manager.Close()
	t.Setenv("NOTIFY_SOCKET", manager.LocalAddr().String())
	awaitNotice := func(want string) {
		t.Helper()
		for message := make([]byte, 4096); ; {
			if n := clitest.Must(manager.Read(message)); strings.Contains(string(message[:n]), want) {
				return
			}
		}
	}
	if err := manager.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	logs := clitest.WatchFor(`"msg":"partition acquired","partition":1`)
	code := make(chan int)
	go func() {
		a := &command.App{In: strings.NewReader(""), Out: io.Discard, Err: logs}
		code <- clitest.Execute(ctx, a, []string{"run", "--brokers", cluster.ListenAddrs()[0], "--table", table, "--http", "127.0.0.1:0",
			"--http-hot-keys",
			"--log-format", "json", "--intervals-stats", "1s", "--intervals-realtime", "100ms"})
	}()
	<-logs.Seen
	clitest.Eventually(t, "all records are written down", func() bool {
		next, err := clitest.ChainOffsetsOf(t, table, "events", 2)
		if err != nil {
			t.Fatal(err)
		}
		return next[0]+next[1] == 50
	})
	addr := regexp.MustCompile(`"http":"([^"]*)"`).FindStringSubmatch(logs.String())[1]
	for path, want := range map[string]string{"/livez": "ok\n", "/metrics": `footfall_records_total{outcome="counted"} 50`} {
		status, body := fetch(t, "http://"+addr+path)
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("GET %s = %d, %q; want 200 and %q", path, status, body, want)
		}
	}
	for want, args := range map[string][]string{
		"SITE#shop.example#SHARD#": {"table", "hot-keys"}, "The busiest shard has": {"table", "hot-keys", "shop.example"},
		"Session": {"plan", "--observed"},
	} {
		if code, out, errs := clitest.Footfall(t, append(args, "--table", table, "--metrics-url", "http://"+addr)...); code != 0 ||
			!strings.Contains(out, want) {
			t.Errorf("%v of what runs: exit code %d, stderr %q, want %q in\n%s", args, code, errs, want, out)
		}
	}
	awaitNotice("READY=1")
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d, want 0:\n%s", got, logs)
	}
	awaitNotice("STOPPING=1")
	if !strings.Contains(logs.String(), "partition drained") {
		t.Errorf("no partition was drained:\n%s", logs)
	}
	for line := range strings.Lines(logs.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not a line of JSON: %q", line)
		}
	}
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Errorf("somebody still listens at %s", addr)
	}
}

func fetch(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

func TestReadinessFollowsThePipelineAndItsDrain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	notYet := fmt.Errorf("not yet a member")
	h := process.NewHandler(ctx, process.Probed{Ready: func() error { return notYet }, Metrics: prometheus.NewRegistry(),
		Heat: capacity.NewHeat(nil), HotKeys: true})
	ask := func(path string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
	}
	if got := ask("/readyz"); got != "503 not ready: not yet a member" {
		t.Errorf("before: %q", got)
	}
	notYet = errors.Join(notYet, errors.New("no answer from the table"))
	if got := ask("/readyz"); got != "503 not ready: not yet a member\nnot ready: no answer from the table" {
		t.Errorf("for two reasons: %q", got)
	}
	notYet = nil
	if got := ask("/readyz"); got != "200 ok" {
		t.Errorf("as a member: %q", got)
	}
	cancel()
	if got := ask("/readyz"); got != "503 not ready: draining" {
		t.Errorf("while draining: %q", got)
	}
	if got := ask("/livez"); got != "200 ok" {
		t.Errorf("livez while draining: %q", got)
	}
	if got := ask("/"); !strings.HasPrefix(got, "404") {
		t.Errorf("another path: %q", got)
	}
}

func TestRunWarnsOfHistoryThatHasExpired(t *testing.T) {
	cluster := clitest.NewBroker(t)
	if err := cluster.CreateTopic("events", 1, map[string]string{"retention.ms": "-1"}); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, age := range []time.Duration{100, 40, 40, 1} {
		r := &kgo.Record{Topic: "events", Value: eventNow("shop.example", "a"), Timestamp: time.Now().Add(-age * 24 * time.Hour)}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, file, want string
	}{
		{"default", "", "records=3"},
		{"only sessions expire", "retention: {raw: never, session: 90d, hour: never, day: never}", "records=1"},
		{"nothing expires", "retention: {raw: never, session: never, hour: never, day: never}", ""},
		{"long enough", "retention: {raw: 101d, session: 101d, hour: 101d, day: 101d}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "footfall.yaml")
			if err := os.WriteFile(file, []byte(c.file), 0o644); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			logs := clitest.WatchFor("partition acquired")
			code := make(chan int)
			go func() {
				a := &command.App{In: strings.NewReader(""), Out: io.Discard, Err: logs}
				code <- clitest.Execute(ctx, a, []string{"run", "--brokers", cluster.ListenAddrs()[0], "--table", clitest.NewTable(t),
					"--config", file})
			}()
			<-logs.Seen
			cancel()
			<-code
			warned := strings.Contains(logs.String(), "to import history, set these to never")
			if warned != (c.want != "") || !strings.Contains(logs.String(), c.want) {
				t.Errorf("warned %v, want %q:\n%s", warned, c.want, logs)
			}
		})
	}
}

// A signal that comes before a process has begun ends it in order, and no remedy is offered where nothing is wrong.
func TestSignalBeforeTheBeginningIsAnOrderlyEnd(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0") // Connections wait in its queue, and nobody answers.
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	dir := t.TempDir()
	clitest.DevDirectory(t, dir)
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"run", []string{"run", "--brokers", mute.Addr().String(), "--table", clitest.NewTable(t)}, 0},
		{"run, of a directory", []string{"run", "--data", dir}, 0},
		{"dev", []string{"dev", "--data", t.TempDir(), "--plain"}, 0},
		{"a command that has not done what was asked", []string{"status", "--brokers", mute.Addr().String(), "--table", clitest.NewTable(t)},
			command.CodeUnanswered},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errors.New("terminated signal received"))
			var stdout, stderr bytes.Buffer
			a := &command.App{In: strings.NewReader(""), Out: &stdout, Err: &stderr}
			if code := clitest.Execute(ctx, a, c.args); code != c.code || !strings.Contains(stderr.String(), "terminated signal received") ||
				strings.Contains(stderr.String(), "start ") {
				t.Errorf("exit code %d, stderr %q; want %d, the signal and no remedy", code, &stderr, c.code)
			}
		})
	}
}

func TestLogsAreTextOrJSON(t *testing.T) {
	for format, want := range map[string]string{"text": "level=WARN msg=hello a=1 took=1m30s",
		"json": `"level":"WARN","msg":"hello","a":1,"took":"1m30s"}`} {
		var b bytes.Buffer
		log := process.NewLog(&b, config.Log{Format: format, Level: "warn"})
		log.Info("quiet")
		log.Warn("hello", "a", 1, "took", 90*time.Second)
		if got := b.String(); !strings.Contains(got, want) || strings.Contains(got, "quiet") {
			t.Errorf("%s: %q, want %q and nothing of the level info", format, got, want)
		}
	}
}
