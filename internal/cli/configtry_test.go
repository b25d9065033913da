package cli

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// TestConfigTryShowsEachField: what becomes of sample records, field by field, why one is rejected, and an exit code for it.
func TestConfigTryShowsEachField(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sample.ndjson")
	sample := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	try := func(args ...string) (code int, out, errs string) {
		t.Helper()
		return clitest.Footfall(t, append([]string{"config", "try", file}, args...)...)
	}
	track := `{"type":"track","event":"Order Completed","userId":"u1","timestamp":"2026-05-12T14:03:07Z","properties":{"revenue":"x"}}`
	segment := []string{"--event-preset", "segment", "--event-set", "siteId=shop.example"}
	sample(track, track)
	code, out, errs := try(segment...)
	for _, want := range []string{"Record 1: counted (unusable_field)\n", "siteId      shop.example", "event.set\n",
		"type        Order Completed", "visitorId   u1", "anonymousId|userId?\n", `properties  {"revenue":"x"}`, "2 records, 2 counted.\n"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s\nwant %q", code, out, errs, want)
		}
	}
	sample(track, `{"type":"identify","timestamp":"2026-05-12T14:03:07Z"}`, "[")
	code, out, errs = try(append(segment, "--limit", "2")...)
	if code != 1 || !strings.Contains(out, "Record 2: rejected, not_mapped: visitorId: ") || strings.Contains(out, "Record 3") ||
		!strings.Contains(errs, "2 of 3 records are rejected") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	code, out, _ = try(append(segment, "-o", "json")...)
	if code != 1 || !strings.Contains(out, `"reason": "not_mapped"`) || !strings.Contains(out, `"siteId": "shop.example"`) {
		t.Errorf("exit code %d, %s", code, out)
	}

	// Records with what is around their values; without a mapping they are events.
	sample(`{"topic":"t","ts":1778594587250,"headers":["site","a","x",null],"key":"k","payload":"{\"v\":\"u\"}"}`)
	code, out, errs = try("--kcat", "--event-map", "siteId=kafka:header:site,visitorId=kafka:key,timestamp=kafka:timestamp", "--event-set",
		"type=x")
	if code != 0 || !strings.Contains(out, "kafka:header:site") || !strings.Contains(out, "2026-05-12T14:03:07.250Z") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	sample(`{"ts":1778594587250,"payload":{"siteId":"a","type":"x","timestamp":1778000000000,"visitorId":"v"}}`)
	if code, out, errs = try("--kcat"); code != 1 || !strings.Contains(out, "Record 1: rejected, too_late: the event is of 2026-05-05") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	sample("no record")
	if code, _, errs = try("--kcat"); code != 1 || !strings.Contains(errs, "line 1: not a line of `kcat -J`") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if code, _, errs = try("--event-preset", "segments"); code != 1 || !strings.Contains(errs, `event.preset: "segments" is unknown: choose`) {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// TestConfigTryAsksTheRegistry: values with schemas are shown as the JSON that they are read as, and why one cannot be read.
func TestConfigTryAsksTheRegistry(t *testing.T) {
	answers := map[string]string{
		"/schemas/ids/7": `{"schema": "{\"type\": \"record\", \"name\": \"Visit\", \"fields\": [{\"name\": \"siteId\", \"type\": \"string\"}, ` +
			`{\"name\": \"who\", \"type\": \"string\"}]}"}`,
	}
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
		if answers[r.URL.Path] == "" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error_code": 40403, "message": "Schema not found"}`)
			return
		}
		fmt.Fprint(w, answers[r.URL.Path])
	}))
	defer registry.Close()
	file := filepath.Join(t.TempDir(), "sample")
	var lines []string
	for _, value := range []string{"\x00\x00\x00\x00\x07\x02s\x04v1", "\x00\x00\x00\x00\x08\x02s", "\x00\x00\x00\x00\x07\x02s", `{"siteId": "s", "who": "v2"}`, "\x00\x00\x00\x00\x07\x00\x04v3"} {
		lines = append(lines, base64.StdEncoding.EncodeToString([]byte(value)))
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	try := func(url string) (code int, out, errs string) {
		return clitest.Footfall(t, "config", "try", "--base64", file, "--event-registry-urls", url, "--event-map",
			"siteId=siteId,visitorId=who", "--event-set", "type=visit,timestamp=2026-05-12T14:03:07Z")
	}
	code, out, errs := try(registry.URL)
	for _, want := range []string{"Record 1: counted\n", "visitorId  v1",
		"Record 2: rejected, unknown_schema: schema 8: the registry has no such schema: ", "Record 3: rejected, not_mapped: schema 7: ",
		"Record 4: counted\n", "visitorId  v2", "\nIts value: {\"siteId\":\"\",\"who\":\"v3\"}\n"} {
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s\nwant %q", code, out, errs, want)
		}
	}
	code, out, errs = clitest.Footfall(t, "config", "try", file, "--event-registry-urls", registry.URL, "--event-map",
		"siteId=siteId,visitorId=who", "--event-set", "type=visit,timestamp=2026-05-12T14:03:07Z")
	if want := ": values in base64 need --base64\n"; code != 1 || strings.Count(out, want) != len(lines) {
		t.Errorf("without --base64: exit code %d, %s%s\nwant %q", code, out, errs, want)
	}
	registry.Close()
	if code, out, errs := try(registry.URL); code != 1 || !strings.Contains(errs, "line 1: schema 7: ") {
		t.Errorf("without an answer: exit code %d, %s%s", code, out, errs)
	}
	for url, want := range map[string]string{
		"registry:8081":                    "event.registry.urls has \"registry:8081\": write http://HOST:PORT",
		"https://a:8081,glue://eu-north-1": "event.registry.urls has glue:// among 2 URLs: name it alone",
	} {
		if code, out, errs := try(url); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s%s", url, code, out, errs)
		}
	}
	code, _, errs = clitest.Footfall(t, "config", "check", "--event-registry-user", "me")
	if want := "event.registry.urls is empty: name the registry"; code != 1 || !strings.Contains(errs, want) {
		t.Errorf("a user alone: exit code %d, %s", code, errs)
	}
	code, _, errs = clitest.Footfall(t, "config", "check", "--event-registry-urls", registry.URL, "--event-preset", "snowplow-tsv")
	if want := "event.preset snowplow-tsv reads values that are no JSON"; code != 1 || !strings.Contains(errs, want) {
		t.Errorf("schemas and columns: exit code %d, %s", code, errs)
	}
}

// TestExampleOfMappings: the configuration in docs/events.md makes an event of a Segment call, with the fields that it names.
func TestExampleOfMappings(t *testing.T) {
	text, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "## Records of another shape")
	_, block, _ := strings.Cut(chapter, "```yaml\n")
	block, _, found := strings.Cut(block, "```")
	dir := t.TempDir()
	for name, content := range map[string]string{"footfall.yaml": block, "sample": `{"type":"page","timestamp":"2026-05-12T14:03:07Z",` +
		`"anonymousId":"a","traits":{"visitor":"v-1"},"context":{"plan":"pro"},"properties":{"n":1}}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := clitest.Footfall(t, "config", "try", filepath.Join(dir, "sample"), "--config", filepath.Join(dir, "footfall.yaml"))
	for _, want := range []string{"shop.example", "page_view", "v-1", `{"n":1,"plan":"pro"}`, "1 record, 1 counted.\n"} {
		if code != 0 || !found || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s\nwant %s, of\n%s", code, out, errs, want, block)
		}
	}
}
