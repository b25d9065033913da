package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
)

// bundled runs footfall support-bundle, and returns the files of its archive and what it printed.
func bundled(t *testing.T, args ...string) (files map[string]string, errs string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bundle.tar.gz")
	code, out, errs := clitest.Footfall(t, append([]string{"support-bundle", "--output", name}, args...)...)
	if code != 0 || !strings.Contains(out, "Wrote "+name) {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if info := clitest.Must(os.Stat(name)); info.Mode().Perm() != 0o600 {
		t.Errorf("the archive has mode %v", info.Mode())
	}
	if beside := clitest.Must(os.ReadDir(filepath.Dir(name))); len(beside) != 1 {
		t.Errorf("beside the archive: %v", beside)
	}
	files = make(map[string]string)
	archive := tar.NewReader(clitest.Must(gzip.NewReader(bytes.NewReader(clitest.Must(os.ReadFile(name))))))
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return files, errs
		}
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "footfall-support/")] = string(clitest.Must(io.ReadAll(archive)))
	}
}

// TestBundleHidesSecrets: whatever is a secret of the configuration, of its files and of the environment, or is spelled as one, is nowhere
// in the archive, in whatever way a log spells it. The archive has the lines themselves.
func TestBundleHidesSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	pem := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("of a key that is none ", 4)))
	const signed = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub25lIn0.c2lnbmF0dXJlLW9mLW5vbmU"
	secrets := []string{`pass"wörd & <more>`, "overridden-password", "secret of the client", "00112233445566778899aabbccddeeff", pem,
		"token-of-a-file.x", "AWSSECRETKEYOFTHEENVIRONMENT", "session/token+of=environment==", "key-of-the-collector", "secretOfTheProfile1",
		"web-identity-token", "ffs_aaaaaaaaaaaaaaaa_abcdefghijklmnopqrstuvwxyz234567", signed, "AKIAABCDEFGHIJKLMNOP", "visitor-of-a-log",
		"session of a log", "user-of-a-log", "hunter two", `visitor "of" an event`, "agent-of-an-event"}
	config := file("footfall.yaml", fmt.Sprintf("table: sqlite://%s/none.db\nvisitorHashKeyFile: %s\nkafka:\n  brokers: ['127.0.0.1:1']\n"+
		"  tls: {key: %s}\n  sasl: {password: overridden-password, oauth: {clientSecret: secret of the client, tokenFile: %s,\n"+
		"    tokenEndpoint: 'https://idp.example/token'}}\n", dir, file("hash", secrets[3]+"\n"),
		file("key.pem", "-----BEGIN PRIVATE KEY-----\n"+pem+"\n-----END PRIVATE KEY-----\n"), file("token", secrets[5]+"\n")))
	t.Setenv("HOME", t.TempDir())
	for name, value := range map[string]string{"FOOTFALL_KAFKA_SASL_PASSWORD": secrets[0], "AWS_SECRET_ACCESS_KEY": secrets[6],
		"AWS_SESSION_TOKEN": secrets[7], "OTEL_EXPORTER_OTLP_HEADERS": "team=web,api-key=" + secrets[8], "AWS_ACCESS_KEY_ID": "x",
		"AWS_SHARED_CREDENTIALS_FILE": file("credentials", "[default]\naws_secret_access_key = "+secrets[9]+"\n"),
		"AWS_WEB_IDENTITY_TOKEN_FILE": file("web", secrets[10])} {
		t.Setenv(name, value)
	}
	var log strings.Builder
	for _, s := range secrets[:14] {
		object := clitest.Must(json.Marshal(map[string]string{"msg": "line of JSON", "error": s}))
		fmt.Fprintf(&log, "level=WARN msg=plain error=%s\nlevel=WARN msg=quoted error=%q\n%s\n", s, s, object)
	}
	event := clitest.Must(json.Marshal(map[string]string{"visitorId": secrets[18], "userAgent": secrets[19], "url": "/page"}))
	fmt.Fprintf(&log, "%s\nevent=%q\n", event, event)
	log.WriteString("msg=parked pk=SITE#shop#SHARD#00 sk=VISITOR#visitor-of-a-log#1_2\nmsg=index key=\"SESSION#session of a log#1_2\"\n" +
		"msg=index key=SITE#shop#USER#user-of-a-log\nmsg=item sk=DAMAGED#SITE%23shop VISITOR%23visitor-of-a-log%231_2\n" +
		"msg=proxy url=http://me:hunter@proxy.example:3128/ password=\"hunter two\"\nmsg=last\n")
	files, _ := bundled(t, "--config", config, "--log", file("footfall.log", log.String()))
	for name, text := range files {
		for _, s := range append(secrets, "hunter", "wörd") {
			if n := strings.Count(text, s); n > 0 {
				t.Errorf("%s has %q %d times", name, s, n)
			}
		}
	}
	for _, want := range []string{"msg=quoted error=\"********\"", `"error":"********"`, "SITE#shop#SHARD#00 sk=VISITOR#********#1_2",
		"http://********@proxy.example:3128/", "msg=last\n",
		`{"url":"/page","userAgent":"********","visitorId":"********"}`,
		`{\"url\":\"/page\",\"userAgent\":\"********\",\"visitorId\":\"********\"}`} {
		if !strings.Contains(files["log.txt"], want) {
			t.Errorf("log.txt has no %q:\n%s", want, files["log.txt"])
		}
	}
	if !strings.Contains(files["config.yaml"], "tokenEndpoint: https://idp.example/token # "+config) {
		t.Errorf("config.yaml: %s", files["config.yaml"])
	}
}

// TestBundleWithoutBrokersAndTable: what cannot be had is in the archive with its reason, and named on stderr; the end of a long log is
// there.
func TestBundleWithoutBrokersAndTable(t *testing.T) {
	table := "sqlite://" + filepath.Join(t.TempDir(), "none.db")
	log := filepath.Join(t.TempDir(), "footfall.log")
	var lines strings.Builder
	for n := 0; lines.Len() < 9<<20; n++ {
		fmt.Fprintf(&lines, "line %d %s\n", n, strings.Repeat("x", 1000))
	}
	if err := os.WriteFile(log, []byte(lines.String()+strings.Repeat("short\n", mostLines-1)+"last\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, errs := bundled(t, "--brokers", "127.0.0.1:1", "--table", table, "--http", "127.0.0.1:1", "--log", log)
	if !strings.Contains(errs, "missing or incomplete, for reasons that the archive names: status.txt, table.txt, readyz.txt, metrics.txt\n") {
		t.Errorf("stderr %q", errs)
	}
	for name, want := range map[string]string{"version.txt": "\nbuild\tGOOS=", "config.yaml": "\ntable: " + table,
		"status.txt": "no broker answers at 127.0.0.1:1", "doctor.txt": "2 errors", "table.txt": "footfall table create",
		"readyz.txt": "connection refused", "metrics.txt": "connection refused"} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s has no %q: %s", name, want, files[name])
		}
	}
	if want := strings.Repeat("short\n", mostLines-1) + "last\n"; files["log.txt"] != want {
		t.Errorf("log.txt has %d bytes, want the last %d lines, %d bytes", len(files["log.txt"]), mostLines, len(want))
	}
	if files, errs = bundled(t, "--config", "none.yaml"); !strings.Contains(files["status.txt"], "none.yaml: no such file") ||
		!strings.Contains(files["config.yaml"], "exit code 1") || !strings.Contains(errs, "names: config.yaml, status.txt,") {
		t.Errorf("without a configuration: %q, stderr %q", files, errs)
	}
}

// TestBundleOfARunningProcess: with brokers, a table and a process nothing is missing.
func TestBundleOfARunningProcess(t *testing.T) {
	cluster := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
	where := []string{"--brokers", cluster.ListenAddrs()[0], "--table", clitest.NewTable(t), "--log-format", "json"}
	logs := clitest.WatchFor(`"http":"`)
	ctx, stop := untilSignal(t.Context())
	code := make(chan int, 1)
	go func() {
		a := &command.App{In: strings.NewReader(""), Out: io.Discard, Err: logs}
		code <- Execute(ctx, a, append([]string{"run", "--http", "127.0.0.1:0"}, where...))
	}()
	<-logs.Seen
	address := regexp.MustCompile(`"http":"([^"]*)"`).FindStringSubmatch(logs.String())[1]
	clitest.Eventually(t, "the process is ready", func() bool {
		code, _, _ := clitest.Footfall(t, "health", "--ready", "--http", address)
		return code == 0
	})
	log := filepath.Join(t.TempDir(), "footfall.log")
	if err := os.WriteFile(log, []byte(logs.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	files, errs := bundled(t, append(where, "--http", address, "--log", log)...)
	if errs != "" || len(files) != 8 {
		t.Errorf("%d files, stderr %q", len(files), errs)
	}
	for name, want := range map[string]string{"metrics.txt": "\nfootfall_build_info{", "readyz.txt": "ok",
		"status.txt": "History of partition 0", "doctor.txt": "no errors",
		"table.txt": "Indexes", "log.txt": `"msg":"starting"`} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s has no %q: %s", name, want, files[name])
		}
	}
	stop()
	if c := <-code; c != 0 {
		t.Errorf("run: exit code %d\n%s", c, logs)
	}
}

// TestBundleOnStandardOutput: where no file can be written, as in a container, the archive comes on the standard output. A log may come on
// the standard input, however long it is.
func TestBundleOnStandardOutput(t *testing.T) {
	var out, errs bytes.Buffer
	a := &command.App{Out: &out, Err: &errs, In: strings.NewReader(strings.Repeat(strings.Repeat("x", 1000)+"\n", 20<<10) + "last\n")}
	code := Execute(t.Context(), a, []string{"support-bundle", "--output", "-", "--log", "-", "--brokers", "127.0.0.1:1"})
	z, err := gzip.NewReader(&out)
	if code != 0 || err != nil || !strings.Contains(errs.String(), "Wrote -. Read it") {
		t.Fatalf("exit code %d, stderr %q, archive: %v", code, &errs, err)
	}
	archive := tar.NewReader(z)
	h, err := archive.Next()
	if err != nil || h.Name != "footfall-support/version.txt" {
		t.Errorf("the archive begins with %+v, %v", h, err)
	}
	for err == nil && h.Name != "footfall-support/log.txt" {
		h, err = archive.Next()
	}
	if text := string(clitest.Must(io.ReadAll(archive))); strings.Count(text, "\n") != mostLines || !strings.HasSuffix(text, "x\nlast\n") {
		t.Errorf("log.txt has %d lines, want %d", strings.Count(text, "\n"), mostLines)
	}
	out.Reset()
	moment := time.Unix(1_800_000_000, 999_999_999)
	if err := writeArchive(&out, []part{{}}, moment); err != nil {
		t.Fatal(err)
	}
	if h := clitest.Must(tar.NewReader(clitest.Must(gzip.NewReader(&out))).Next()); h.ModTime.After(moment) {
		t.Errorf("a part of %v has the time %v", moment, h.ModTime)
	}
}

// TestBundleReplacesNoFile: a file that exists stays, also one that came while the parts were asked.
func TestBundleReplacesNoFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "taken")
	taken := func() error { return os.WriteFile(name, []byte("mine"), 0o600) }
	err := writeExclusive(name, func(io.Writer) error { return taken() })
	if err == nil || !strings.Contains(err.Error(), "exists: remove it") {
		t.Errorf("a file that came in between: %v", err)
	}
	code, out, errs := clitest.Footfall(t, "support-bundle", "--output", name, "--brokers", "127.0.0.1:1")
	if code != 1 || out != "" || !strings.Contains(errs, "exists: remove it") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if text := clitest.Must(os.ReadFile(name)); string(text) != "mine" {
		t.Errorf("the file is now %q", text)
	}
	code, _, errs = clitest.Footfall(t, "support-bundle", "--output", filepath.Join(t.TempDir(), "no", "folder"))
	if code != 1 || !strings.Contains(errs, "no such file or directory") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}
