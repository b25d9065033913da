package main

import (
	"strings"
	"testing"
	"time"
)

// TestClockWarning: a clock is compared with the span between the request and its answer, so that a slow answer is no
// difference.
func TestClockWarning(t *testing.T) {
	now := time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		at   time.Time
		took time.Duration
		want string // "": no warning
	}{
		{"equal", now, time.Second, ""},
		{"a minute behind", now.Add(time.Minute), 0, ""},
		{"the answer took two minutes", now.Add(2 * time.Minute), 2 * time.Minute, ""},
		{"hours ahead", now.Add(-3 * time.Hour), time.Second, "3h0m0s ahead of"},
		{"hours behind", now.Add(3*time.Hour + time.Second), time.Second, "3h0m0s behind"},
	} {
		text := clockWarning("the table", c.at, now, now.Add(c.took))
		if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}
