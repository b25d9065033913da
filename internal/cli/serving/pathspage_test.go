package serving

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/query"
)

// The page of paths has the figures of the command, the API and CSV. A click on a page extends the path by a step, and nothing is read
// beyond what the page was asked to read.
func TestPathsPageHasTheFiguresOfTheCommand(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from, to := day.Format("2006-01-02"), day.AddDate(0, 0, 2).Format("2006-01-02")
	of := url.Values{"from": {from}, "to": {to}}
	for _, c := range []struct {
		flags []string
		more  url.Values
		shows []string
	}{
		{nil, nil, []string{"Entry and exit pages", "viewed a page.", "fromPage=%2F&", "toPage=%2Fthanks"}},
		{[]string{"--from-page", "/", "--steps", "1"}, url.Values{"fromPage": {"/"}},
			[]string{"Pages after /", "viewed the page.", "(left)", "through=%2Fkettles", "toPage=%2F"}},
		{[]string{"--from-page", "/", "--through", "/kettles", "--steps", "2", "--where", "country=IN"},
			url.Values{"fromPage": {"/"}, "through": {"/kettles"}, "where": {"country=IN"}}, []string{"Step 2", "Country is <bdi>India</bdi>"}},
		{[]string{"--to-goal", "bought", "--steps", "1"}, url.Values{"toGoal": {"bought"}}, []string{"Pages before goal bought", `Pages before <input name="toPage"`, "/kettles"}},
	} {
		var a, fromAPI query.PathsAnswer
		clitest.AskedJSON(t, &a, append([]string{"query", "paths", "shop", "--from", from, "--to", to, "--table", table}, c.flags...)...)
		params := url.Values{}
		for _, values := range []url.Values{of, c.more} {
			for name, value := range values {
				params[name] = value
			}
		}
		shown := got(t, h, "/sites/shop/paths?"+params.Encode())
		page := html.UnescapeString(shown.Body.String())
		params.Set("steps", "1")
		if len(c.more["through"]) > 0 {
			params.Set("steps", "2")
		}
		if len(c.more) == 0 {
			params.Del("steps")
		}
		read := got(t, h, "/api/v1/sites/shop/paths?"+params.Encode()).Body.Bytes()
		if err := json.Unmarshal(read, &fromAPI); err != nil || len(a.Rows) == 0 || fmt.Sprint(a) != fmt.Sprint(fromAPI) {
			t.Fatalf("%v: %v, the command has %+v, the API %s", c.flags, err, a, read)
		}
		link, _, _ := strings.Cut(page, `">CSV</a>`)
		rows, err := csv.NewReader(got(t, h, link[strings.LastIndexByte(link, '"')+1:]).Body).ReadAll()
		if err != nil || len(rows) != len(a.Rows)+1 {
			t.Fatalf("%v: %v, CSV has %d lines, want %d", c.flags, err, len(rows), len(a.Rows)+1)
		}
		for i, r := range a.Rows {
			if line := rows[i+1]; line[1] != string(r.Kind) || line[2] != r.Page || line[3] != r.ExitPage || line[4] != fmt.Sprint(r.Sessions) {
				t.Errorf("%v: CSV has %v, want %+v", c.flags, line, r)
			}
			if want := fmt.Sprintf(`<td>%d</td><td class="share">%.1f %%</td>`, r.Sessions, 100**r.Share); !strings.Contains(page, want) {
				t.Errorf("%v: the page lacks %s: %s", c.flags, want, page)
			}
		}
		for _, want := range append(c.shows, fmt.Sprintf("Computed from %d raw events for ", a.Filter.Cost.EventsRead)) {
			if shown.Code != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%v: %d, the page lacks %s: %s", c.flags, shown.Code, want, page)
			}
		}
	}
	dear := html.UnescapeString(got(t, h, "/sites/shop/paths?"+of.Encode()+"&maxEvents=1").Body.String())
	for _, want := range []string{"raw events of this range would cost about", "maxEvents=2000000", "Read them"} {
		if !strings.Contains(dear, want) {
			t.Errorf("the page lacks %s: %s", want, dear)
		}
	}
	if strings.Contains(dear, "viewed a page") {
		t.Error("the page has figures that it should not have read")
	}
	site := html.UnescapeString(got(t, h, "/sites/shop?"+of.Encode()).Body.String())
	for _, want := range []string{`<a href="/sites/shop/paths?` + of.Encode() + `">Entry and exit pages</a>`, `/sites/shop/paths?from=` + from +
		`&fromPage=%2Fkettles&to=` + to} {
		if !strings.Contains(site, want) {
			t.Errorf("the page of the site lacks %s", want)
		}
	}
	for query, status := range map[string]int{"fromPage=/&toPage=/": 422, "through=/": 422, "where=page%3D/": 422, "fromGoal=none": 200,
		"fromPage=/&through=/a&through=/b&through=/c&through=/d&through=/e&through=/f": 422} {
		if r := got(t, h, "/sites/shop/paths?"+query); r.Code != status {
			t.Errorf("%s: %d, want %d: %s", query, r.Code, status, r.Body)
		}
	}
	if r := got(t, h, "/sites/none/paths"); r.Code != http.StatusNotFound {
		t.Errorf("a site that is not there: %d", r.Code)
	}
	form := got(t, h, "/sites/shop/paths?fromPage=/&through=/a&through=/b&from="+from+"&until="+day.AddDate(0, 0, 1).Format("2006-01-02"))
	if at, err := url.Parse(form.Header().Get("Location")); err != nil || form.Code != http.StatusSeeOther ||
		len(at.Query()["through"]) != 2 ||
		at.Query().Get("to") != to {
		t.Errorf("the form of another range: %d, leads to %s", form.Code, form.Header().Get("Location"))
	}
}
