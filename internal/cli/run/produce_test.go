package run

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// runProduce runs footfall produce against a broker.
func runProduce(t *testing.T, c *kfake.Cluster, in io.Reader, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &command.App{In: in, Out: &stdout, Err: &stderr}
	args = append([]string{"produce", "--brokers", strings.Join(c.ListenAddrs(), ",")}, args...)
	code = clitest.Execute(t.Context(), a, args)
	return code, stdout.String(), stderr.String()
}

func TestProduceSendsRealFiles(t *testing.T) {
	slow.Unraced(t)
	tests := []struct {
		name, file string
		args       []string
		sent       int64
		refused    []produce.Refusal
	}{
		{"edits", "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz",
			[]string{"--format", "ndjson", "--map", "siteId=channel", "--map", "timestamp=time", "--map", "visitorId=user",
				"--map", "url=/wiki/{page}", "--set", "type=edit", "--properties", "rest"}, 39244, nil},
		{"requests", "access-log/apache_logs.gz", []string{"--count-assets", "--format", "combined", "--set", "siteId=www.semicomplete.com"},
			9999, []produce.Refusal{{Reason: "user agent: no closing quote"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := realdata.Path(t, test.file)
			for i := range test.refused {
				test.refused[i].Place = produce.Place{File: file, Line: 8899}
			}
			c := clitest.NewBroker(t)
			args := append([]string{"--from-file", file, "--topic", test.name, "--create-topic", "--retention", "never", "--output", "json"},
				test.args...)
			code, out, errs := runProduce(t, c, nil, args...)
			var s produce.Summary
			if err := json.Unmarshal([]byte(out), &s); err != nil {
				t.Fatalf("output %q: %v; %s", out, err, errs)
			}
			if code != 0 || s.Sent != test.sent || s.Failed != 0 || s.Refused != int64(len(test.refused)) {
				t.Errorf("exit code %d, %+v, want %d sent and %v refused", code, s, test.sent, test.refused)
			}
			for i, want := range test.refused {
				if s.FirstRefused[i] != want {
					t.Errorf("refused %+v, want %+v", s.FirstRefused[i], want)
				}
			}
			if n := clitest.Held(t, c, test.name); n != test.sent {
				t.Errorf("the topic holds %d records, want %d", n, test.sent)
			}
			if retention := c.TopicInfo(test.name).Configs["retention.ms"]; retention == nil || *retention != "-1" {
				t.Errorf("retention.ms = %v, want -1", retention)
			}
			if !strings.Contains(errs, "keeps some kinds of items for 30 days only, as is configured here") ||
				strings.Contains(errs, "Kafka will delete") {
				t.Errorf("warnings %q, want that of the items' retention alone", errs)
			}
		})
	}
}

func TestProduceReadsStandardInput(t *testing.T) {
	var in bytes.Buffer
	z := gzip.NewWriter(&in)
	io.WriteString(z, `{"siteId":"a","type":"t","timestamp":"2026-01-01T00:00:00Z","visitorId":"v","id":"1"}`+"\n[]\n")
	z.Close()
	c := clitest.NewBroker(t)
	ledger := filepath.Join(t.TempDir(), "ledger")
	code, out, errs := runProduce(t, c, &in, "--from-file", "-", "--create-topic", "--record-time", "now", "--ledger", ledger)
	if code != 0 || !strings.Contains(out, `Sent 1 record`) ||
		!strings.Contains(out, "Refused 1 line:\n  standard input, line 2: not a JSON object") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	text, err := os.ReadFile(ledger)
	if err != nil || !strings.HasSuffix(string(text), `,"offset":0,"siteId":"a","id":"1","type":"t"}`+"\n") {
		t.Errorf("the ledger holds %q, %v", text, err)
	}
}

// A file whose lines step back by hours is warned about once, by its name, and sorted if that is asked for.
func TestProduceSortsAFile(t *testing.T) {
	var text strings.Builder
	for i, hour := range []string{"10", "14", "11", "13", "09"} {
		fmt.Fprintf(&text, `{"siteId":"a","type":"t","timestamp":"2026-05-12T%s:00:00Z","visitorId":"v","id":"%d"}`+"\n", hour, i+1)
	}
	file := filepath.Join(t.TempDir(), "day.ndjson")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, ids, warning, summary string }{
		{"--sort=0", "12345", file + ", line 3, of 2026-05-12T11:00:00Z, is 3h0m0s earlier than a line sent before it.",
			"Event times step back by up to 5h0m0s (" + file + ", line 5).\n"},
		{"--sort", "51342", "", ""},
		{"--sort=2", "13452", file + ", line 5, of 2026-05-12T09:00:00Z, is 4h0m0s earlier than a line sent before it.",
			"Event times step back by up to 4h0m0s (" + file + ", line 5).\n"},
	} {
		ledger := filepath.Join(t.TempDir(), "ledger")
		code, out, errs := runProduce(t, clitest.NewBroker(t), nil, "--from-file", file, "--create-topic", "--partitions", "1",
			"--record-time", "now",
			"--ledger", ledger, c.flag)
		sent, err := os.ReadFile(ledger)
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, m := range regexp.MustCompile(`"id":"(\d)"`).FindAllStringSubmatch(string(sent), -1) {
			ids += m[1]
		}
		if code != 0 || ids != c.ids || strings.Count(errs, "earlier than") != min(1, len(c.warning)) || !strings.Contains(errs, c.warning) {
			t.Errorf("%s: exit code %d, sent %s, want %s; %q, want %q", c.flag, code, ids, c.ids, errs, c.warning)
		}
		if !strings.Contains(out, c.summary) || c.summary == "" && strings.Contains(out, "step back") {
			t.Errorf("%s prints %q, want %q", c.flag, out, c.summary)
		}
	}
}

func TestProduceMakesTraffic(t *testing.T) {
	c := clitest.NewBroker(t)
	code, out, errs := runProduce(t, c, nil, "--create-topic", "--rate", "0", "--events", "2000", "--sites", "3", "--buckets", "4")
	if code != 0 || !strings.Contains(out, "Sent 2000 records") || errs != "" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	if n := clitest.Held(t, c, "events"); n != 2000 {
		t.Errorf("the topic holds %d records, want 2000", n)
	}
}

func TestProduceSaysWhatIsWrong(t *testing.T) {
	c := clitest.NewBroker(t)
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args string
		code int
		want string
	}{
		{"--topic none --events 1", 1, `topic "none" does not exist: create it with --create-topic`},
		{"--from-file /nowhere", 1, "open /nowhere: no such file"},
		{"--map a=b", 2, "--map is about a file: name it with --from-file"},
		{"--sites 3 --from-file " + file, 2, "--from-file and --sites: choose one"},
		{"--map siteId=a --format events --from-file " + file, 2, "--map is for --format ndjson, csv or tsv, and the format is events"},
		{"--set siteId=a --format events --from-file " + file, 2, "--set is for all formats but events, and the format is events"},
		{"--visitor-hash-key k --format ndjson --from-file " + file, 2, "--visitor-hash-key is for access logs, and the format is ndjson"},
		{"--from-file " + file, 1, "there are no lines in it"},
		{"--format events --from-file " + file + " --create-topic", 1, "nothing was sent: there are no lines"},
		{"--visitor-hash-key k --format combined --set siteId=a --from-file " + file, 2,
			"hash key: secret of 1 bytes (not shown): it needs at least 16"},
		{"--visitor-salt daily", 2, "--visitor-salt is about a file: name it with --from-file"},
		{"--time-zone UTC --format events --from-file " + file, 2, "--time-zone is for all formats but events"},
		{"--time-zone Mars/Olympus --format w3c --from-file " + file, 2, `--time-zone "Mars/Olympus": write the name of a zone`},
		{"--log-format %h --format combined --from-file " + file, 2, "--format combined and --log-format: choose one"},
		{"--log-format %h --from-file " + file, 2, `--log-format "%h": no word is the request, as $request and %r are`},
		{"--count-assets --format csv --from-file " + file, 2, "--count-assets is for access logs, and the format is csv"},
		{"--visitor-salt daily --format csv --from-file " + file, 2, "--visitor-salt is for access logs, and the format is csv"},
		{"--visitor-salt weekly --format combined --from-file " + file, 2, `--visitor-salt: salt "weekly": choose daily or fixed`},
		{"--format xml --from-file " + file, 2, "--format xml: choose auto or one of events, ndjson"},
		{"--format ndjson --from-file " + file, 2, "no siteId: every event needs one"},
		{"--format combined --from-file " + file, 2, "name it with --set siteId=www.example.com"},
		{"--format ndjson --properties all --from-file " + file, 2, "--properties all: write rest"},
		{"--sort", 2, "--sort is about a file: name it with --from-file"},
		{"--sort=-1 --from-file " + file, 2, "--sort=-1: write 1 or more lines, or 0 for off"},
		{"--record-time noon", 2, "write event, now, or an instant"},
		{"--retention never", 2, "add --create-topic"},
		{"--create-topic --retention soon", 2, `--retention "soon": write never, days`},
		{"--create-topic --retention 300000d", 2, `--retention "300000d": write never, days`},
		{"--compression rar", 2, "--compression rar: choose lz4, zstd, gzip, snappy, none"},
		{"--create-topic --partitions -1", 2, "--partitions -1: write 1 to"},
		{"--create-topic --partitions 0", 2, "--partitions 0: write 1 to"},
		{"--create-topic --partitions 4294967297", 2, "--partitions 4294967297: write 1 to"},
		{"--sites 0", 2, "--sites 0: write 1 to 100000"},
		{"--buckets -5", 2, "--buckets -5: write 1 or more"},
		{"--rate NaN", 2, "--rate NaN"},
		{"--rate Inf", 2, "--rate +Inf"},
		{"--output csv", 2, `--output "csv": choose table or json`},
		{"--rate -1", 2, "write 0 or more"},
		{"--bad 2", 2, "--bad 2: choose a share from 0 to 1"},
	}
	for _, test := range tests {
		code, out, errs := runProduce(t, c, nil, strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(errs, test.want) || out != "" {
			t.Errorf("produce %s: exit code %d, %q, %q, want %d and %q", test.args, code, out, errs, test.code, test.want)
		}
	}
}
