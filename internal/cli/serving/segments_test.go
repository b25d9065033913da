package serving

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/query"
)

// commandLine runs a command on a table, and returns what it prints. It must succeed.
func commandLine(t *testing.T, table string, args ...string) string {
	t.Helper()
	code, out, errs := clitest.Footfall(t, append(args, "--table", table)...)
	if code != 0 {
		t.Fatalf("%v: exit %d, %s%s", args, code, out, errs)
	}
	return out
}

// A segment answers as its filters do, on the command line in every format, in reports, and in the API.
func TestSegmentAnswersAsItsFilters(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from, date, to := day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly), day.AddDate(0, 0, 4).Format(time.DateOnly)
	commandLine(t, table, "segment", "create", "shop", "germany", "--where", "country=DE")
	commandLine(t, table, "segment", "create", "shop", "left-at-kettles", "--where", "country!=DE", "--where", "exit=/kettles")
	for _, c := range []struct {
		segment string
		where   []string
	}{{"germany", []string{"--where", "country=DE"}}, {"left-at-kettles", []string{"--where", "country!=DE", "--where", "exit=/kettles"}}} {
		for _, question := range [][]string{{"query", "stats", "shop"}, {"query", "uniques", "shop"}, {"query", "top", "shop", "page"},
			{"query", "goals", "shop"}, {"funnel", "report", "shop", "checkout"}} {
			for _, format := range []string{"json", "csv", "table"} {
				question := append(slices.Clone(question), "--from", from, "--to", to, "--output", format)
				more := []string{"--where", "referrer!=x"}
				all := commandLine(t, table, question...)
				in := commandLine(t, table, slices.Concat(question, []string{"--segment", c.segment}, more)...)
				under := commandLine(t, table, slices.Concat(question, c.where, more)...)
				if in != under || in == all || in == commandLine(t, table, slices.Concat(question, more)...) {
					t.Errorf("%v in %s: %s; under its filters %s; of all %s", question, c.segment, in, under, all)
				}
			}
		}
		for _, format := range []string{"text", "html", "mime"} {
			report := []string{"report", "shop", "--period", date, "--format", format}
			all := commandLine(t, table, report...)
			in := commandLine(t, table, append(report, "--segment", c.segment)...)
			if under := commandLine(t, table, append(report, c.where...)...); in != under || in == all {
				t.Errorf("the report in %s is %s; under its filters %s; of all %s", c.segment, in, under, all)
			}
		}
		var cli query.FilteredStatsAnswer
		clitest.AskedJSON(t, &cli, "query", "stats", "shop", "--from", from, "--segment", c.segment, "--exact", "--table", table)
		api := read[query.FilteredStatsAnswer](t, h, "/api/v1/sites/shop/stats?from="+from+"&exact=true&segment="+c.segment)
		if *cli.Totals.Sessions == 0 || fmt.Sprint(*cli.Totals.Sessions, cli.Totals.PageViews, cli.Totals.UniqueVisitors) !=
			fmt.Sprint(*api.Totals.Sessions, api.Totals.PageViews, api.Totals.UniqueVisitors) {
			t.Errorf("%s: %v on the command line, %v in the API", c.segment, cli.Totals, api.Totals)
		}
		lacks(t, got(t, h, "/sites/shop?from="+from+"&segment="+c.segment).Body.String(), c.segment,
			fmt.Sprintf("<strong>%d</strong>", api.Totals.UniqueVisitors), fmt.Sprintf("<strong>%d</strong>", api.Totals.PageViews),
			"Segment <bdi>"+c.segment+"</bdi>")
	}
	in := commandLine(t, table, "report", "shop", "--period", date, "--format", "text", "--segment", "germany")
	if !strings.Contains(in, "only what passes: Country is Germany") || !strings.Contains(in, "\n  Germany ") {
		t.Errorf("the report: %s", in)
	}
}

// Segments are created, listed, shown and deleted; a name that is wrong names those that are there.
func TestSegmentsComeAndGo(t *testing.T) {
	url := clitest.TableURL(t)
	var created, shown segments.SegmentAnswer
	clitest.AskedJSON(t, &created, "segment", "create", "shop", "germany", "--where", "country=DE", "--table", url)
	clitest.AskedJSON(t, &shown, "segment", "show", "shop", "germany", "--table", url)
	if created.Site != "shop" || !slices.Equal(shown.Where, []string{"country=DE"}) || fmt.Sprint(created) != fmt.Sprint(shown) {
		t.Errorf("created %+v, shown %+v", created, shown)
	}
	commandLine(t, url, "segment", "create", "shop", "phones", "--where", "device=mobile", "--where", "country!=DE")
	if out := commandLine(t, url, "segment", "list", "shop", "--csv-raw", "--columns", "segment,where", "--output", "csv"); out !=
		"segment,where\ngermany,country=DE\nphones,device=mobile and country!=DE\n" {
		t.Errorf("the list: %s", out)
	}
	for _, args := range [][]string{{"query", "stats", "shop", "--segment", "germani"},
		{"query", "top", "shop", "page", "--segment", "germani"},
		{"segment", "show", "shop", "germani"}, {"report", "shop", "--segment", "germani"}, {"share", "create", "shop", "--segment", "germani"},
		{"funnel", "report", "shop", "f", "--segment", "germani"}} {
		code, _, errs := clitest.Footfall(t, append(args, "--table", url)...)
		if code != 2 || !strings.Contains(errs, "did you mean germany? choose germany, phones") {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
	if code, _, errs := clitest.Footfall(t, "query", "stats", "--all-sites", "--segment", "germany", "--table", url); code != 2 ||
		!strings.Contains(errs, "together with --segment") {
		t.Errorf("of all sites: exit %d, %s", code, errs)
	}
	if code, _, _ := clitest.Footfall(t, "segment", "list", "nowhere", "--table", url); code != 3 {
		t.Errorf("an unknown site: exit %d", code)
	}
	commandLine(t, url, "segment", "delete", "shop", "germany")
	if code, _, errs := clitest.Footfall(t, "segment", "delete", "shop", "germany", "--table", url); code != 1 {
		t.Errorf("deleted again: exit %d, %s", code, errs)
	}
}

// A share link has the filters that its segment had when it was created: a change of the segment does not widen it.
func TestShareLinkKeepsTheFiltersOfItsSegment(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := protected(t, table)
	commandLine(t, table, "segment", "create", "shop", "mine", "--where", "country=DE")
	code, out, errs := clitest.Footfall(t, "share", "create", "shop", "--segment", "mine", "--where", "referrer!=x", "--json",
		"--table", table)
	if code != 0 || !strings.Contains(errs, "later changes of the segment do not change it") {
		t.Fatalf("exit %d, %s", code, errs)
	}
	var created struct {
		Address string   `json:"address"`
		Where   []string `json:"where"`
	}
	if err := json.Unmarshal([]byte(out), &created); err != nil || !slices.Equal(created.Where, []string{"country=DE", "referrer!=x"}) {
		t.Fatalf("%v: %s", err, out)
	}
	ask := func() string {
		code, text := with(t, h, created.Address+"/api/v1/sites/shop/uniques?from="+day.Format(time.DateOnly)+"&to=now", "")
		if code != http.StatusOK {
			t.Fatalf("%d: %s", code, text)
		}
		return text
	}
	before := ask()
	commandLine(t, table, "segment", "delete", "shop", "mine")
	commandLine(t, table, "segment", "create", "shop", "mine", "--where", "country!=XX")
	if after := ask(); after != before || !strings.Contains(after, `"country=DE"`) {
		t.Errorf("before %s; after %s", before, after)
	}
}
