package erase_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// TestFilesHoldNoWordOfTheErased: after an erasure no file beside the table has an id or a property of the visitor, free
// pages and the log included, and those of others are there. Only this user may read the files.
func TestFilesHoldNoWordOfTheErased(t *testing.T) {
	dir := t.TempDir()
	table, err := sqlite.Open(filepath.Join(dir, "footfall.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	s := opened(t, table)
	s.events("somebody-erased", now.Add(-time.Hour), 60, 3000)
	s.events("somebody-else", now.Add(-time.Hour), 60, 100)
	found := func(word string) (files []string) {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b, []byte(word)) {
				files = append(files, filepath.Base(name))
			}
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: mode %v, %v; want 0600", name, info.Mode(), err)
			}
		}
		return files
	}
	if found("somebody-erased") == nil {
		t.Fatal("the visitor is in no file before")
	}
	o := s.options("somebody-erased")
	o.Scrubber = table
	s.run(o)
	for _, word := range []string{"somebody-erased", strings.Repeat("x", 200)} {
		if files := found(word); files != nil {
			t.Errorf("%.20q... is in %v", word, files)
		}
	}
	if found("somebody-else") == nil {
		t.Error("another visitor is gone")
	}
}
