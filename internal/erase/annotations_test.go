package erase_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/sinks"
)

// Annotations that name the person are erased, and no others.
func testAnnotations(t *testing.T, s shop) {
	store := annotations.Store{Table: s.table, By: "a test", Now: time.Now}
	for _, a := range []struct{ site, text string }{{site, "complaint of " + gone}, {site, gone + "2 is another"}, {site, "a release"},
		{"other", gone}} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), s.table, s.keys, a.site); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Create(t.Context(), a.site, now, a.text); err != nil {
			t.Fatal(err)
		}
	}
	o := s.options(gone)
	var exported strings.Builder
	count, err := erase.Export(t.Context(), o, &exported)
	if text := exported.String(); err != nil || count[erase.LineAnnotation] != 1 || !strings.Contains(text, `"text":"complaint of `+gone+`"`) ||
		strings.Contains(text, "a test") || strings.Contains(text, "a release") || strings.Contains(text, "is another") {
		t.Errorf("exported %v, %v: %s", count, err, text)
	}
	o.DryRun = true
	if r := s.run(o); r.Touched[erase.Annotations] != 1 {
		t.Errorf("a dry run: %+v, want one annotation", r.Touched)
	}
	if r := s.run(s.options(gone)); r.Touched[erase.Annotations] != 1 {
		t.Errorf("%+v, want one annotation", r.Touched)
	}
	for of, want := range map[string]int64{site: 2, "other": 1} {
		if n, err := annotations.DeleteAll(t.Context(), s.table, of); err != nil || n != want {
			t.Errorf("%d annotations of %s are left, %v; want %d", n, of, err, want)
		}
	}
}
