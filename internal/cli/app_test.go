package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
)

func TestConfigPrintMasksAndNamesSources(t *testing.T) {
	t.Setenv("FOOTFALL_KAFKA_SASL_MECHANISM", "plain")
	t.Setenv("FOOTFALL_KAFKA_SASL_USERNAME", "me")
	t.Setenv("FOOTFALL_KAFKA_SASL_PASSWORD", "hunter2")
	code, out, errs := clitest.Footfall(t, "config", "print", "--topic", "clicks", "--kafka-tls-enabled", "--intervals-stats=5m")
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d, stderr %q", code, errs)
	}
	for _, want := range []string{"topic: clicks # --topic\n", "enabled: true # --kafka-tls-enabled\n", "stats: 5m # --intervals-stats\n",
		"username: me # FOOTFALL_KAFKA_SASL_USERNAME\n", "'********' # FOOTFALL_KAFKA_SASL_PASSWORD\n", "group: footfall\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "hunter2") {
		t.Error("the password is printed")
	}
}

func TestConfigInitWritesAFileOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, out, errs := clitest.Footfall(t, "config", "init"); code != 0 || !strings.Contains(out, "Wrote footfall.yaml") {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if code, out, errs := clitest.Footfall(t, "config", "check", "--config", "footfall.yaml"); code != 0 {
		t.Errorf("check: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	written, err := os.ReadFile("footfall.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if code, out, errs := clitest.Footfall(t, "config", "init", "-"); code != 0 || out != string(written) {
		t.Errorf("init -: exit code %d, stderr %q; want what the file has, got\n%s", code, errs, out)
	}
	code, out, errs := clitest.Footfall(t, "config", "init", "footfall.yaml")
	if code != 1 || out != "" || !strings.Contains(errs, "footfall.yaml exists") {
		t.Errorf("init again: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if _, _, errs := clitest.Footfall(t, "config", "init", "none/footfall.yaml"); !strings.Contains(errs, "no such file or directory") {
		t.Errorf("init in a directory that is not there: stderr %q", errs)
	}
}

func TestConfigCheckNamesEveryFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "footfall.yaml")
	if err := os.WriteFile(file, []byte("kafka:\n  brokr: a\nlog:\n  level: loud\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FOOTFALL_CONFIG", file)
	code, out, errs := clitest.Footfall(t, "config", "check", "--http", "80")
	if code != 1 || out != "" {
		t.Errorf("exit code %d, stdout %q; want 1 and nothing", code, out)
	}
	for _, want := range []string{"kafka.brokr (" + file + ":2): no such key", "log.level (" + file + ":4)", "http (--http)"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing in:\n%s", want, errs)
		}
	}
	file = filepath.Join(t.TempDir(), "short.yaml")
	if err := os.WriteFile(file, []byte("retention: {session: 5d, hour: 90d}"), 0o600); err != nil {
		t.Fatal(err)
	}
	const warning = "warning: retention.session 5d is less than retention.hour 90d"
	if code, out, errs := clitest.Footfall(t, "config", "check", "--config", file); code != 0 || out != "The configuration is valid.\n" ||
		!strings.HasPrefix(errs, warning) {
		t.Errorf("short sessions: exit code %d, stdout %q, stderr %q; want a valid configuration and %q", code, out, errs, warning)
	}
	file = filepath.Join(t.TempDir(), "plain.yaml")
	for tls, want := range map[string]string{"false": "warning: kafka.sasl.mechanism PLAIN sends the password unencrypted", "true": ""} {
		text := "kafka: {sasl: {mechanism: plain, username: u, password: p}, tls: {enabled: " + tls + "}}"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := clitest.Footfall(t, "config", "check", "--config", file); code != 0 || !strings.HasPrefix(errs, want) || want == "" &&
			errs != "" {
			t.Errorf("SASL plain with tls %s: exit code %d, stderr %q; want %q", tls, code, errs, want)
		}
	}
	for url, want := range map[string]string{"http://login.example.com/token": "warning: kafka.sasl.oauth.tokenEndpoint is asked without TLS",
		"https://login.example.com/token": "", "http://127.0.0.1:8080/token": ""} {
		text := "kafka: {tls: {enabled: true}, sasl: {mechanism: oauthbearer, oauth: {clientId: c, clientSecret: s, tokenEndpoint: '" + url +
			"'}}}"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := clitest.Footfall(t, "config", "check", "--config", file); code != 0 || !strings.HasPrefix(errs, want) ||
			want == "" && errs != "" {
			t.Errorf("tokens of %s: exit code %d, stderr %q; want %q", url, code, errs, want)
		}
	}
	const unused = "warning: kafka.sessionTimeout 10s has no effect with kafka.groupProtocol consumer"
	if code, _, errs := clitest.Footfall(t, "config", "check", "--config", os.DevNull, "--kafka-group-protocol", "consumer",
		"--kafka-session-timeout", "10s"); code != 0 || !strings.HasPrefix(errs, unused) {
		t.Errorf("a session timeout that brokers decide: exit code %d, stderr %q; want %q", code, errs, unused)
	}
	if code, out, errs := clitest.Footfall(t, "config", "check", "--config", os.DevNull); code != 0 ||
		out != "The configuration is valid.\n" ||
		errs != "" {
		t.Errorf("of defaults: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// TestEmptyFlagIsRefused: an empty flag comes from a variable that is not set, and does not mean all sites.
func TestEmptyFlagIsRefused(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct{ flag, command string }{
		{"--zone", "site create x"}, {"--raw-days", "site create x"}, {"--output", "site create x"},
		{"--from", "site update shop --shards 4"}, {"--zone", "site update shop --name X"}, {"--hour-days", "site update shop --name X"},
		{"--owner", "site list"}, {"--site", "verify"}, {"--from", "verify"}, {"--config", "query sites"}, {"--data", "verify"},
		{"--data", "dev"},
		{"--from", "query stats shop"}, {"--to", "query stats shop"}, {"--by", "query stats shop"}, {"--tz", "query stats shop"},
		{"--at", "query realtime shop"}, {"--visitor", "query sessions shop"}, {"--user", "query sessions shop"},
		{"--session", "query events shop"}, {"--type", "query events shop"}, {"--item", "query explain"},
		{"--visitor-hash-key", "produce"}, {"--set", "produce"}, {"--reason", "failed replay"}, {"--open", "failed replay"},
	} {
		line := append(strings.Fields(c.command), c.flag, "", "--table", url)
		code, out, errs := clitest.Footfall(t, line...)
		if code != command.CodeUsage || out != "" || !strings.Contains(errs, c.flag+": empty") || !strings.Contains(errs, "leave the flag out") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want a usage error that names the flag", line, code, out, errs)
		}
	}
	if _, _, errs := clitest.Footfall(t, "query", "stats", "shop", "--from", "", "--by", ""); !strings.Contains(errs, "--by, --from: empty") {
		t.Errorf("two empty flags: stderr %q, want both named", errs)
	}
	for _, line := range [][]string{
		{"site", "create", "x", "--name", "", "--owner", "", "--domains", "", "--user-agents", "", "--referrers", ""},
		{"site", "update", "x", "--name", "", "--owner", "", "--domains", "", "--user-agents", "", "--referrers", ""},
		{"query", "sites", "--cursor", ""}, {"config", "check", "--http", ""},
	} {
		if code, _, errs := clitest.Footfall(t, append(line, "--table", url)...); code != 0 {
			t.Errorf("%q: exit code %d, stderr %q; want it to be taken", line, code, errs)
		}
	}
}

func TestDirectoryOfDevIsASource(t *testing.T) {
	dir := t.TempDir()
	if _, err := command.WriteDevFile(dir, "127.0.0.1:19999"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FOOTFALL_KAFKA_TOPIC", "env")
	t.Setenv("FOOTFALL_KAFKA_GROUP", "env")
	_, out, errs := clitest.Footfall(t, "config", "print", "--data", dir, "--brokers", "flag:1")
	for _, want := range []string{"brokers: ['flag:1'] # --brokers", "topic: events # " + filepath.Join(dir, "dev.json"),
		"group: env # FOOTFALL_KAFKA_GROUP",
		"table: sqlite://" + filepath.Join(dir, "footfall.db")} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s%s", want, out, errs)
		}
	}
	code, _, errs := clitest.Footfall(t, "config", "check", "--data", t.TempDir())
	if code != 1 || !strings.Contains(errs, "is not a directory of footfall dev (it has no dev.json): start `footfall dev --data ") {
		t.Errorf("--data of an empty directory: exit code %d, stderr %q", code, errs)
	}
}

func TestJSONIsShortForOutputJSON(t *testing.T) {
	url := clitest.TableURL(t)
	_, want, _ := clitest.Footfall(t, "query", "site", "shop", "--table", url, "--output", "json")
	for _, args := range [][]string{{"--json"}, {"--json", "-o", "json"}, {"--json=true"}} {
		if code, out, errs := clitest.Footfall(t, append([]string{"query", "site", "shop", "--table", url}, args...)...); code != 0 ||
			errs != "" ||
			out != want {
			t.Errorf("%v: exit code %d, stderr %q, stdout %s; want what --output json prints", args, code, errs, out)
		}
	}
	if code, _, errs := clitest.Footfall(t, "query", "site", "shop", "--table", url, "--json", "--output", "csv"); code != command.CodeUsage ||
		!strings.Contains(errs, "choose one") {
		t.Errorf("--json --output csv: exit code %d, stderr %q", code, errs)
	}
}

func TestBootstrapServerIsBrokers(t *testing.T) {
	code, out, errs := clitest.Footfall(t, "config", "print", "--bootstrap-server", "kafka:9092")
	if code != 0 || !strings.Contains(out, "brokers: ['kafka:9092'] # --brokers\n") {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
}
