package run

import (
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/query"
)

// No card of the page is empty for someone who tries dev. What they delete stays deleted, and nothing is there twice, at the next start.
func TestDevShowsEverything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(more ...string) {
		t.Helper()
		if code, _, errs := clitest.Footfall(t, append([]string{"dev", "--data", dir, "--plain", "--sites", "2", "--for", "1ms"},
			more...)...); code != 0 {
			t.Fatalf("dev %q: exit code %d, %s", more, code, errs)
		}
	}
	start("--history", "2d", "--history-events", "2000")
	table, err := connect.Open(t.Context(), "sqlite://"+filepath.Join(dir, command.DevTable))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	const site = "shop.example"
	h := serve.New(serve.Options{Table: table.Table, Now: time.Now, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/sites/"+site+"?from=-2d", nil))
	page := w.Body.String()
	for _, card := range []string{"goals", "funnels", "newcomers", "now", "sessions"} {
		if !regexp.MustCompile(`<section [^>]*id="` + card + `"`).MatchString(page) {
			t.Errorf("the page has no card %s: %s", card, page)
		}
	}
	if !strings.Contains(page, "segment=phones") {
		t.Errorf("the page offers no segment: %s", page)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/sites/"+site+"?from=-2d&segment=phones", nil))
	if n := regexp.MustCompile(`<strong>([1-9][0-9]*)</strong>`).FindString(w.Body.String()); w.Code != 200 || n == "" {
		t.Errorf("nothing is in the segment: %d: %s", w.Code, w.Body)
	}
	// What is viewed now depends on the hour: this past ends with a view in some minutes, and traffic that runs has a hundred a second.
	page = regexp.MustCompile(`(?s)<section [^>]*id="now".*?</section>`).ReplaceAllString(page, "")
	if empty := regexp.MustCompile(`<p class="empty">[^<]*`).FindString(page); empty != "" {
		t.Errorf("a card is empty: %s: %s", empty, page)
	}
	reader := query.New(table.Table, time.Now)
	goals := func() query.GoalStatsAnswer {
		t.Helper()
		a, err := reader.GoalStats(t.Context(), query.StatsParams{Site: site, From: time.Now().Add(-72 * time.Hour), By: query.Day})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, g := range goals().Totals.Goals {
		if g.Conversions == 0 || g.Since != nil {
			t.Errorf("goal %s has %d conversions since %v, want some since the beginning", g.ID, g.Conversions, g.Since)
		}
	}

	if code, _, errs := clitest.Footfall(t, "goal", "delete", site, "bought", "--data", dir); code != 0 {
		t.Fatal(errs)
	}
	if code, _, errs := clitest.Footfall(t, "funnel", "delete", site, "checkout", "--data", dir); code != 0 {
		t.Fatal(errs)
	}
	start("--sites", "3")
	for _, g := range goals().Totals.Goals {
		if g.ID == "bought" && !g.Deleted {
			t.Error("a goal that was deleted is there again")
		}
	}
	for id, want := range map[string][2]int{site: {0, 1}, "docs.example": {1, 1}} { // The third site is new.
		funnels, err := reader.Funnels(t.Context(), query.FunnelsParams{Site: id})
		if err != nil {
			t.Fatal(err)
		}
		notes, err := reader.Annotations(t.Context(), query.AnnotationsParams{Site: id})
		if got := [2]int{len(funnels.Funnels), len(notes.Annotations)}; got != want || err != nil {
			t.Errorf("%s has %v funnels and annotations, want %v; %v", id, got, want, err)
		}
	}
}

// Without traffic a directory has the sites of its user alone.
func TestDevWithoutTrafficHasNoSites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if code, _, errs := clitest.Footfall(t, "dev", "--data", dir, "--plain", "--rate", "0", "--for", "1ms"); code != 0 {
		t.Fatal(errs)
	}
	if _, out, errs := clitest.Footfall(t, "site", "list", "--data", dir); out != "Sites\nNone.\n" {
		t.Errorf("sites: %s%s", out, errs)
	}
}
