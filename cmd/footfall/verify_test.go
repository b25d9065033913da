package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footfall/footfall/embedded"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/verify"
)

// TestVerifyFindsTheDirectorysParts verifies a directory that nobody runs, then one whose broker is running.
func TestVerifyFindsTheDirectorysParts(t *testing.T) {
	dir := t.TempDir()
	broker := must(embedded.Open(dir))
	if err := broker.CreateTopic(devTopic, 1); err != nil {
		t.Fatal(err)
	}
	d := must(writeDevFile(dir, broker.Addr()))
	table := must(openTable(t.Context(), d.Table))
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	check := func(state string) {
		t.Helper()
		code, out, errs := footfall(t, "verify", "--data", dir, "--output", "json")
		var r verify.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%s: %v in %q, stderr %q", state, err, out, errs)
		}
		if code != verify.ExitNothing || r.Topic != devTopic || r.Note == "" || errs != "" {
			t.Errorf("%s: exit code %d, report %+v, stderr %q; want that nothing could be compared", state, code, r, errs)
		}
	}
	check("a running broker")
	if err := broker.Close(); err != nil {
		t.Fatal(err)
	}
	check("a directory at rest")
}

func TestVerifyUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		text string
	}{
		{"--output csv", codeUsage, "choose table or json"},
		{"--site a\xff", codeUsage, `--site "a\xff" is not valid UTF-8, which every id is`},
		{"--wait -1s", codeUsage, "--wait"},
		{"--from yesterday", codeUsage, "--from"},
		{"--from 0001-01-01", codeUsage, `--from: time "0001-01-01": lies outside of the years 1970 to 9999`},
		{"--to 0001-01-01", codeUsage, "--to"},
		{"--from 2026-05-13 --to 2026-05-12", codeUsage, "the range is empty"},
		{"shop.example", codeUsage, "unknown command"},
		{"--data " + t.TempDir(), 1, "footfall dev --data"},
	} {
		code, out, errs := footfall(t, append([]string{"verify"}, strings.Fields(c.args)...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.text) {
			t.Errorf("verify %s: exit code %d, stdout %q, stderr %q; want %d and %q", c.args, code, out, errs, c.code, c.text)
		}
	}
}
