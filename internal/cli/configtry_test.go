package cli

import (
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
