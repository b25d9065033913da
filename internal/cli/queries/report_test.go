package queries

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// A report is of any period that is over; week and month are the last whole ones.
func TestReportIsOfAPeriodThatIsOver(t *testing.T) {
	url := clitest.TableURL(t)
	now := time.Now().UTC()
	lastMonth := now.AddDate(0, 0, 1-now.Day()).AddDate(0, -1, 0)
	for period, says := range map[string]string{"week": "by day", "month": "by day", "last-month": "1 " + lastMonth.Format("Jan 2006"),
		lastMonth.Format("2006-01"): "1 " + lastMonth.Format("Jan 2006"), "28d": "by day", "yesterday": "by hour", "last-year": "by month"} {
		code, out, errs := clitest.Footfall(t, "report", "shop", "--period", period, "--format", "text", "--table", url)
		if code != 0 || !strings.Contains(out, says) {
			t.Errorf("report of %s: exit %d, %q, %q; want %s", period, code, out, errs, says)
		}
	}
	for period, says := range map[string]string{"today": "it is not over", "year": "it is not over", "fortnight": "not a period"} {
		code, out, errs := clitest.Footfall(t, "report", "shop", "--period", period, "--format", "text", "--table", url)
		if code != 2 || out != "" || !strings.Contains(errs, "period \"") || !strings.Contains(errs, says) {
			t.Errorf("report of %s: exit %d, %q, %q; want exit 2 and that %s", period, code, out, errs, says)
		}
	}
}

// Filters go with comparisons, and the help says what new visitors are.
func TestFiltersAreCompared(t *testing.T) {
	url := clitest.TableURL(t)
	code, out, errs := clitest.Footfall(t, "query", "stats", "shop", "--where", "country=DE", "--compare", "--align", "weekday", "--json",
		"--table", url)
	if code != 0 || !strings.Contains(out, `"previous": {`) {
		t.Errorf("filtered and compared: exit %d, %s, %q", code, out, errs)
	}
	if _, out, _ := clitest.Footfall(t, "query", "stats", "--help"); !strings.Contains(out, "--new-visitors on") {
		t.Error("the help of query stats does not say how new visitors are counted")
	}
}
