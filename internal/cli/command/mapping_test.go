package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/config"
)

// TestMappingIsCheckedAsItIsLoaded: each fault of a mapping names its setting, and faults of other settings are named, too.
func TestMappingIsCheckedAsItIsLoaded(t *testing.T) {
	load := func(text string) error {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadConfig(config.Sources{File: file})
		return err
	}
	good := "event: {map: [siteId=site, timestamp=at, visitorId=user.id], set: [type=page_view], timeUnit: ms}\n"
	if err := load(good); err != nil {
		t.Error(err)
	}
	err := load("event: {map: [siteid=site, 'url={a', timestamp=at], timeUnit: h}\nbatchBytes: 1\n")
	for _, want := range []string{"event.map: siteid=site: events have no field", "event.map: url={a: ", "event.timeUnit: h: choose",
		"no siteId: every event needs one; say where it comes from with event.map: siteId=KEY", "batchBytes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if err := load(strings.Replace(good, "timeUnit", "default: ['type="+strings.Repeat("x", maxMappingBytes)+"'], timeUnit", 1)); err == nil ||
		!strings.Contains(err.Error(), "each flush records it") {
		t.Errorf("a long mapping: %v", err)
	}
}
