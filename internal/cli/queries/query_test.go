package queries

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

func TestQueryPrintsOneDocument(t *testing.T) {
	url := clitest.TableURL(t)
	code, out, errs := clitest.Footfall(t, "query", "stats", "shop", "--from", "-2h", "--output", "json", "--table", url)
	var a query.StatsAnswer
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 || errs != "" || a.Totals == nil || a.Totals.PageViews != 40 {
		t.Errorf("exit %d, out %s, err %q (%v); want totals of 40 page views", code, out, errs, err)
	}
	code, out, errs = clitest.Footfall(t, "query", "sites", "-o", "csv", "--table", url)
	if code != 0 || errs != "" || !strings.Contains(out, "\nshop,false,") {
		t.Errorf("exit %d, out %q, err %q; want the site", code, out, errs)
	}
	code, out, errs = clitest.Footfall(t, "query", "realtime", "unknown", "--table", url)
	if code != command.CodeUnknown || errs != "" || !strings.Contains(out, `Site "unknown" is not known`) {
		t.Errorf("exit %d, err %q, out %q; want an empty answer that says the site is not known", code, errs, out)
	}
	code, out, errs = clitest.Footfall(t, "query", "realtime", "unknown", "--table", url, "--json")
	if code != command.CodeUnknown || !strings.Contains(errs, "footfall query sites") || !json.Valid([]byte(out)) {
		t.Errorf("exit %d, err %q, out %q; want exit code %d, an answer, and the reason on stderr", code, errs, out, command.CodeUnknown)
	}
}

func TestEveryQuestionHasACommand(t *testing.T) {
	url := clitest.TableURL(t)
	for _, args := range [][]string{
		{"sites"}, {"stats", "shop", "--by", "day"}, {"stats", "shop", "--from", "-400d", "--tz", "Europe/Berlin", "--compare"},
		{"stats", "shop", "--compare=previous"}, {"stats", "shop", "--period", "last-month", "--compare", "--fill"},
		{"stats", "shop", "--period", "yesterday", "--compare", "--align", "weekday"}, {"goals", "shop", "--period", "2026-05"},
		{"top", "shop", "page", "--period", "28d"}, {"sessions", "shop", "--period", "today"}, {"events", "shop", "--period", "yesterday"},
		{"uniques", "shop", "--from", "-7d"}, {"uniques", "shop", "--from", "2026-05-01", "--tz", "America/New_York"},
		{"realtime", "shop", "--at", "now"},
		{"stats", "shop", "--include-bots"}, {"realtime", "shop", "--include-bots"},
		{"sessions", "shop"}, {"sessions", "shop", "--user", "u", "--from", "2026-01-01"}, {"sessions", "shop", "--visitor", "v", "--desc=false"},
		{"events", "shop"}, {"events", "shop", "--session", "s"}, {"site", "shop", "--consistent"},
	} {
		for _, format := range show.Formats {
			line := append(append([]string{"query"}, args...), "--output", format, "--table", url)
			empty := format == string(show.NDJSON) // As many lines as there are rows.
			if code, out, errs := clitest.Footfall(t, line...); code != 0 || out == "" && !empty || strings.Contains(errs, "footfall:") {
				t.Errorf("%v: exit %d, out %q, err %q", line, code, out, errs)
			}
		}
	}
}

func TestUnknownNamesAreNamedNearby(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"query", "stats", "shop1"}, command.CodeUnknown, "site shop1: did you mean shop?"},
		{[]string{"query", "stats", "shopp", "--json"}, command.CodeUnknown, "site shopp: did you mean shop?"},
		{[]string{"query", "session", "shop", "s"}, command.CodeUnknown, "the session is not known"},
		{[]string{"query", "conversions", "shop", "nosuch"}, command.CodeUnknown, "the site has no such goal"},
		{[]string{"query", "top", "shop", "refererr"}, command.CodeUsage, "did you mean referrer?"},
		{[]string{"query", "top", "shop", "referrer", "--sort", "valueSum"}, command.CodeUsage, "rows of referrer have it only under filters"},
		{[]string{"query", "stats", "shop", "--columns", "bouncerate"}, command.CodeUsage, "did you mean bounceRate"},
		{[]string{"query", "stats", "shop", "--by", "weak"}, command.CodeUsage, "did you mean week?"},
	} {
		if code, out, errs := clitest.Footfall(t, append(c.args, "--table", url)...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, out %q, err %q; want exit %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

func TestQueryAnswersInTheZoneThatIsAskedFor(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct {
		to, tz, from string
		by           query.By
	}{
		{"2026-03-10", "America/New_York", "2026-03-08T00:00:00-05:00", query.Hour}, // Two days of 47 hours.
		{"2026-06-06", "America/New_York", "2026-03-08T00:00:00-05:00", query.Day},
		{"2026-06-07", "UTC", "2026-03-08T00:00:00Z", query.Month},
	} {
		code, out, errs := clitest.Footfall(t, "query", "stats", "shop", "--from", "2026-03-08", "--to", c.to, "--tz", c.tz, "-o", "json",
			"--table", url)
		var a query.StatsAnswer
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 || a.By != c.by || a.Zone != c.tz ||
			a.From.Format(time.RFC3339) != c.from {
			t.Errorf("to %s in %s: exit %d, %s in %s from %v, err %q (%v); want %s from %s", c.to, c.tz, code, a.By, a.Zone, a.From, errs, err, c.by,
				c.from)
		}
		code, out, errs = clitest.Footfall(t, "query", "uniques", "shop", "--from", "2026-03-08", "--to", c.to, "--tz", c.tz, "-o", "json",
			"--table", url)
		var u query.UniquesAnswer
		if err := json.Unmarshal([]byte(out), &u); err != nil || code != 0 || u.Zone != c.tz || u.From.Format(time.RFC3339) != c.from {
			t.Errorf("uniques to %s in %s: exit %d, from %v, err %q (%v); want them from %s", c.to, c.tz, code, u.From, errs, err, c.from)
		}
	}
}

// The range that is named is the one that is answered: seven days are seven rows at most.
func TestQueryOfDaysAndHoursThatAreNamed(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct {
		args  []string
		by    query.By
		count int
		whole bool // until now or later
	}{
		{[]string{"--from", "-7d"}, query.Day, 7, true}, {[]string{"--from", "-28d"}, query.Day, 28, true},
		{[]string{"--from", "-4w"}, query.Day, 28, true}, {[]string{"--period", "7d"}, query.Day, 7, false},
		{[]string{"--period", "28d"}, query.Day, 28, false}, {nil, query.Hour, 24, true}, {[]string{"--from", "-12h"}, query.Hour, 12, true},
		{[]string{"--period", "yesterday"}, query.Hour, 24, false}, {[]string{"--from", "-14d", "--to", "-7d"}, query.Day, 7, false},
		{[]string{"--period", "2025-02"}, query.Day, 28, false}, {[]string{"--period", "2025"}, query.Month, 365, false},
	} {
		asked := time.Now()
		code, out, errs := clitest.Footfall(t, append([]string{"query", "stats", "shop", "-o", "json", "--table", url}, c.args...)...)
		answered := time.Now() // An hour or a day may have ended since it was asked.
		var a query.StatsAnswer
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 {
			t.Fatalf("%q: exit %d, err %q (%v)", c.args, code, errs, err)
		}
		size := time.Hour
		if c.by != query.Hour {
			size = 24 * time.Hour
		}
		if n := int(a.To.Sub(a.From) / size); a.By != c.by || n != c.count || c.whole && a.To.Before(asked) ||
			!c.whole && a.To.After(answered) {
			t.Errorf("%q: [%v, %v) by %s, want %d by %s", c.args, a.From, a.To, a.By, c.count, c.by)
		}
	}
}

func TestQueryHelpSaysWhoseDatesItTakes(t *testing.T) {
	for _, command := range []string{"stats", "uniques", "top", "sessions", "events", "realtime"} {
		if code, out, _ := clitest.Footfall(t, "query", command, "--help"); code != 0 || strings.Contains(out, "instant in UTC") ||
			!strings.Contains(out, "site's own zone") {
			t.Errorf("%s: exit %d, want help that says that dates are those of the site's own zone: %s", command, code, out)
		}
	}
}

func TestQueryThatCannotBeAskedIsAUsageError(t *testing.T) {
	url := clitest.TableURL(t)
	for says, args := range map[string][]string{
		"--from":                                                  {"query", "stats", "shop", "--from", "tomorrow"},
		"--period and --from: choose":                             {"query", "top", "shop", "page", "--period", "7d", "--from", "2026-05-01"},
		"--period and --to: choose":                               {"query", "sessions", "shop", "--period", "7d", "--to", "now"},
		`from "9036-05-12": the range lies`:                       {"query", "stats", "shop", "--from", "9036-05-12"},
		`period "9036": the range lies in`:                        {"query", "paths", "shop", "--period", "9036"},
		`--period "fortnight": not`:                               {"query", "stats", "shop", "--period", "fortnight"},
		"years 1970 to 9999":                                      {"query", "sessions", "shop", "--from", "0001-01-01"}, // Not the zero time.
		"choose previous, year or a range":                        {"query", "stats", "shop", "--compare=next"},
		`--align "date": choose`:                                  {"query", "stats", "shop", "--compare", "--align", "date"},
		"add --compare":                                           {"query", "stats", "shop", "--align", "weekday"},
		"fortnight":                                               {"query", "stats", "shop", "--by", "fortnight"},
		"not a time zone":                                         {"query", "stats", "shop", "--tz", "Europe/Bärlin"},
		"in the middle of an hour of UTC":                         {"query", "stats", "shop", "--tz", "Asia/Kolkata"},
		"have no sessions":                                        {"query", "sessions", "shop", "--include-bots"},
		"output":                                                  {"query", "stats", "shop", "--output", "xml"},
		"write footfall query uniques SITE":                       {"query", "uniques"},
		"give either a site, or --all-sites":                      {"query", "stats"},
		"or --owner, as in: footfall query stats shop.example":    {"query", "stats", "shop", "--owner", "acme"},
		"or --owner, as in: footfall query top shop.example page": {"query", "top", "shop", "page", "--all-sites"},
		"--all-sites and --owner: choose":                         {"query", "stats", "--all-sites", "--owner", "acme"},
		"--compare, --desc: leave it out":                         {"query", "stats", "--all-sites", "--desc", "--compare"},
		"limit":                                                   {"query", "sites", "--limit", "-4"},
		"--limit 0: write the max. rows, 1 to 10000":              {"query", "top", "shop", "page", "--limit", "0"},
		`min-count "-1": choose 1 to 1000000`:                     {"query", "top", "shop", "page", "--sort", "bounceRate", "--min-count", "-1"},
		"rows are sorted by pageViews: sort by a rate or average": {"query", "top", "shop", "page", "--min-count", "5"},
		"rows of page have it only under filters":                 {"query", "top", "shop", "page", "--sort", "valueSum"},
		"--pages 0: write the max. active pages, 1 to 50":         {"query", "realtime", "shop", "--pages", "0"},
		"pageViews, uniqueVisitors, sessions, bounces, durationMs, conversions, conversionValue, conversionRate": {
			"query", "top", "shop", "channel", "--sort", "exitRate"},
		`rows of dimension "pages" is unknown: choose hostname, page, `: {"site", "update", "x", "--rows", "pages=10"},
		`property " theme" begins or ends with a blank`:                 {"site", "update", "x", "--property", "plan, theme"},
		"there is no such day": {
			"query", "stats", "shop", "--tz", "Pacific/Apia", "--period", "2011-12-30"},
		"there are no such days: the time zone changes then": {"query", "stats", "shop", "--tz", "Pacific/Apia", "--from", "2011-12-30",
			"--to", "2011-12-31"},
		"--user and --visitor: choose": {"query", "sessions", "shop", "--user", "u", "--visitor", "v"},
		"shards 65":                    {"site", "create", "x", "--shards", "65"},
		"--shards 0":                   {"site", "create", "x", "--shards", "0"},
		"soon":                         {"site", "update", "x", "--zone", "UTC", "--from", "soon"},
		"nothing to change":            {"site", "update", "x"},
		`--raw-days "forever"`:         {"site", "create", "x", "--raw-days", "forever"},
		"--raw-days 0":                 {"site", "create", "x", "--raw-days", "0"},
	} {
		if code, out, errs := clitest.Footfall(t, append(args, "--table", url)...); code != 2 || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%v: exit %d, out %q, err %q; want exit 2 and an error that says %q", args, code, out, errs, says)
		}
	}
}

func TestIDThatIsNotUTF8IsAUsageError(t *testing.T) {
	url := clitest.TableURL(t)
	const bad = "a\xff"
	for _, line := range [][]string{
		{"query", "stats", bad}, {"query", "uniques", bad}, {"query", "top", bad, "page"}, {"query", "realtime", bad},
		{"query", "realtime", bad, "--at", "2026-05-12"}, {"query", "sessions", bad}, {"query", "sessions", bad, "--from", "-1h"},
		{"query", "sessions", "shop", "--user", bad}, {"query", "sessions", "shop", "--visitor", bad, "--from", "-1h"},
		{"query", "session", bad, "s"}, {"query", "session", "shop", bad}, {"query", "events", bad},
		{"query", "events", "shop", "--session", bad}, {"query", "events", "shop", "--session", bad, "--from", "-1h"},
		{"query", "events", "shop", "--type", bad}, {"query", "site", bad}, {"query", "explain", bad, "TABLE"},
		{"query", "explain", "PIPELINE", bad}, {"site", "list", "--owner", bad}, {"site", "update", bad, "--name", "x"},
		{"verify", "--site", bad},
	} {
		code, out, errs := clitest.Footfall(t, append(line, "--table", url)...)
		if code != command.CodeUsage || out != "" || !strings.Contains(errs, `"a\xff"`) || !strings.Contains(errs, "not valid UTF-8") {
			t.Errorf("%q: exit %d, out %q, err %q; want a usage error that names the id", line, code, out, errs)
		}
	}
}

func TestQueryOfAMissingTableSaysWhatToDo(t *testing.T) {
	code, _, errs := clitest.Footfall(t, "query", "sites", "--table", "sqlite://"+filepath.Join(t.TempDir(), "none.db"))
	if code != 1 || !strings.Contains(errs, "footfall table create") {
		t.Errorf("exit %d, err %q; want exit 1 and how to create the table", code, errs)
	}
}

// TestSeveralSitesHaveTheRangeOfOneByDefault: 24 whole hours, the running one included.
func TestSeveralSitesHaveTheRangeOfOneByDefault(t *testing.T) {
	url := clitest.TableURL(t)
	for _, args := range [][]string{{"stats", "shop"}, {"stats", "--all-sites"}, {"top", "shop", "page"}, {"top", "--all-sites", "page"}} {
		code, out, errs := clitest.Footfall(t, append(append([]string{"query"}, args...), "--table", url, "--output", "json")...)
		var a struct{ From, To time.Time }
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 || a.To.Sub(a.From) != 24*time.Hour {
			t.Errorf("%v: exit %d, err %q, %v, [%v, %v)", args, code, errs, err, a.From, a.To)
		}
	}
}

// TestDayThatAChangeOfZoneSkips: at the change from Pago Pago to Kiritimati the site has no 26 November.
func TestDayThatAChangeOfZoneSkips(t *testing.T) {
	url := clitest.TableURL(t)
	table, err := connect.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC).UnixMilli()
	if err := sites.Publish(t.Context(), table, sinks.Keys{}, sites.Revision{Rev: 1, Site: "shop", Rules: &sites.Rules{CreatedAt: 1,
		Zones: []sites.Zone{{Name: "Pacific/Pago_Pago"}, {From: at, Name: "Pacific/Kiritimati"}}}}); err != nil {
		t.Fatal(err)
	}
	for says, args := range map[string][]string{"there is no such day: the time zone changes then": {"--period", "2026-11-26"},
		"there are no such days": {"--from", "2026-11-26", "--to", "2026-11-27"}} {
		args = append([]string{"query", "stats", "shop", "--table", url}, args...)
		if code, _, errs := clitest.Footfall(t, args...); code != command.CodeUsage || !strings.Contains(errs, says) {
			t.Errorf("%v: exit %d, err %q; want a usage error that says %q", args, code, errs, says)
		}
	}
	if code, _, errs := clitest.Footfall(t, "query", "stats", "shop", "--table", url, "--from", "2026-11-25",
		"--to", "2026-11-27"); code != 0 {
		t.Errorf("a range around the day: exit %d, err %q", code, errs)
	}
	for _, words := range [][]string{{"stats"}, {"top", "page"}} {
		code, out, errs := clitest.Footfall(t, append(append([]string{"query"}, words...), "--owner", "acme", "--table", url)...)
		if code != command.CodeUnknown || !strings.Contains(out, `Owner "acme" is not known`) {
			t.Errorf("%v of an owner without sites: exit %d, out %q, err %q; want exit %d", words, code, out, errs, command.CodeUnknown)
		}
	}
}

func TestSiteIsCreatedOnce(t *testing.T) {
	url := clitest.TableURL(t)
	create := func(args ...string) (code int, out, errs string) {
		return clitest.Footfall(t, append([]string{"site", "create", "new", "--table", url}, args...)...)
	}
	if code, out, errs := create("--name", "New", "--owner", "acme", "--shards", "4", "--raw-days", "never"); code != 0 ||
		!strings.Contains(out, "never") {
		t.Errorf("exit %d, out %q, err %q; want the created site", code, out, errs)
	}
	if code, _, errs := create("--name", "New", "--owner", "acme", "--shards", "8"); code != 1 ||
		!strings.Contains(errs, "shards is 4, not 8") {
		t.Errorf("exit %d, err %q; want exit 1 and which shards hold", code, errs)
	}
	_, out, _ := clitest.Footfall(t, "site", "show", "new", "--table", url, "--output", "json")
	var a query.SiteAnswer
	if err := json.Unmarshal([]byte(out), &a); err != nil || a.Site == nil || a.Site.Shards != 4 || *a.Site.Retention.RawDays != -1 {
		t.Errorf("site show: %s, %v; want 4 shards and raw events kept for ever", out, err)
	}
	if _, out, _ := clitest.Footfall(t, "site", "list", "--owner", "acme", "--table", url, "-o", "csv"); strings.Count(out, "\n") != 2 ||
		!strings.Contains(out, "\nnew,true,New,") {
		t.Errorf("site list: %q, want the one site of the owner", out)
	}
}
