package manage

import (
	"encoding/json"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

// TestSiteIsCreatedWithWhatUpdateTakes: also when it is created once more with the same values.
func TestSiteIsCreatedWithWhatUpdateTakes(t *testing.T) {
	url := clitest.TableURL(t)
	for range 2 {
		code, out, errs := clitest.Footfall(t, "site", "create", "new.example", "--new-visitors", "on", "--visitor-days", "30", "--realtime",
			"off",
			"--recent", "off", "--visitor-index", "off", "--property", "plan,theme", "--rows", "page=600", "--output", "json", "--table", url)
		var a query.SiteAnswer
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 {
			t.Fatalf("exit %d, %s (%v), out %s", code, errs, err, out)
		}
		s := a.Site
		if !s.NewVisitors || s.Realtime || s.Recent || s.VisitorIndex || *s.Retention.VisitorDays != 30 || s.Rows["page"] != 600 ||
			len(s.Properties) != 2 || s.Properties[0].Key != "plan" {
			t.Errorf("site %+v, want it as the flags say", s)
		}
	}
	if code, out, errs := clitest.Footfall(t, "site", "create", "other.example", "--rows", "page=99999",
		"--table", url); code != command.CodeUsage {
		t.Errorf("--rows page=99999: exit %d, out %q, err %q; want exit %d and no site", code, out, errs, command.CodeUsage)
	}
	if code, _, _ := clitest.Footfall(t, "query", "site", "other.example", "--table", url); code != command.CodeUnknown {
		t.Errorf("a site with a wrong flag: exit %d, want %d: it was not created", code, command.CodeUnknown)
	}
}
