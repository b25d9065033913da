package page

import (
	"bytes"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
)

// One line above the totals says how far figures are complete, how exact they are, and when they were recounted; under filters, too.
func TestTrustIsSaidAboveTheTotals(t *testing.T) {
	v := view("shop")
	v.Stats.CompleteThrough, v.Verified.Reason = new(day.Add(4*time.Hour)), query.NotVerified
	const want = "Complete up to records of 10 May 2026, 04:00:00 · visitors ± 0.8 % · No recount is recorded yet. <a"
	for _, filtering := range []*Filtering{nil, {Scope: query.ScopeSessions}} {
		v.Filtering = filtering
		page := siteOf(t, v)
		if at := strings.Index(page, want); at < 0 || at > strings.Index(page, `class="tiles"`) || strings.Count(page, "Complete up to") != 1 {
			t.Errorf("filtered %v: the page does not say once, before its totals: %s", filtering != nil, want)
		}
	}
	v.Verified.Reason = ""
	if page := siteOf(t, v); strings.Contains(page, "What a recount is") || !strings.Contains(page, "visitors ± 0.8 %</p>") {
		t.Error("the page explains recounts where it says nothing of them")
	}
}

// A comparison of a range that is not over says that the earlier one has all of its last hour, and that there is none in the first hour.
func TestUnfinishedComparisonsAreExplained(t *testing.T) {
	v := view("shop")
	v.Stats.Previous.ToDate, v.Stats.Previous.To, v.Read = true, day.Add(-19*time.Hour), day.Add(4*time.Hour+27*time.Minute)
	const early = "There are no changes until the first hour of the range is over."
	page := siteOf(t, v)
	wantAll(t, page, "The earlier range ends at a full hour, 05:00. It has all of its last hour; this range has what has passed")
	if strings.Contains(page, early) {
		t.Error("the page says that the first hour is not over after four")
	}
	v.Read = day.Add(5 * time.Minute)
	wantAll(t, siteOf(t, v), early)
}

// The title of a list does not name a time to come.
func TestListsEndWhenTheyWereRead(t *testing.T) {
	for to, want := range map[time.Time]string{day.Add(5 * time.Hour): "10 May 2026, 04:27<", day.AddDate(0, 0, 1): "Sun 10 May 2026<"} {
		v := TopView{At: links.Address{Site: "shop"}, Answer: query.TopAnswer{Dimension: "page", Sort: "pageViews", From: day, To: to},
			Read: day.Add(4*time.Hour + 27*time.Minute)}
		var b bytes.Buffer
		if err := Top(&b, v); err != nil {
			t.Fatal(err)
		}
		wantAll(t, html.UnescapeString(b.String()), want)
	}
}

// Shares of visitors say of how many they are parts, if that is not the total.
func TestSharesSayOfWhat(t *testing.T) {
	v := view("shop") // Its rows have 30 visitors and a share of one half.
	const says = "Shares of visitors are of ~60, "
	wantAll(t, siteOf(t, v), says)
	v.Stats.Totals.UniqueVisitors = visitors(60)
	if strings.Contains(siteOf(t, v), says) {
		t.Error("shares of the total are said to be of something else")
	}
}
