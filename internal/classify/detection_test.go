package classify

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
)

func browsers(tb testing.TB) []string {
	tb.Helper()
	b, err := os.ReadFile("testdata/browsers.txt")
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// TestBotsAreFlagged counts the user agents of a list of bots. isbot's maintainers test their patterns on that list,
// among others.
func TestBotsAreFlagged(t *testing.T) {
	var list []struct {
		Instances []string `json:"instances"`
	}
	if err := json.Unmarshal(realdata.Read(t, "badinput/crawler-user-agents.json"), &list); err != nil {
		t.Fatal(err)
	}
	c := New()
	all, flagged := 0, 0
	for _, bot := range list {
		for _, userAgent := range bot.Instances {
			all++
			if c.Agent([]byte(userAgent), nil).Bot {
				flagged++
			} else {
				t.Logf("not flagged: %s", userAgent)
			}
		}
	}
	t.Logf("%d of %d bots are flagged", flagged, all)
	if all == 0 || flagged*1000 < all*995 {
		t.Errorf("%d of %d bots are flagged, want 99.5 %%", flagged, all)
	}
}

// TestBrowsersAreNotFlagged counts the user agents that a web service saw most. Those that are flagged are programs that
// embed a browser: the test says which.
func TestBrowsersAreNotFlagged(t *testing.T) {
	c := New()
	all := browsers(t)
	flagged := 0
	for _, userAgent := range all {
		if c.Agent([]byte(userAgent), nil).Bot {
			flagged++
			t.Logf("flagged: %s", userAgent)
		}
	}
	t.Logf("%d of %d browsers are flagged", flagged, len(all))
	if len(all) != 1000 || flagged > 12 {
		t.Errorf("%d of %d browsers are flagged, want at most 12 of 1,000", flagged, len(all))
	}
}

func TestBrowsersAreNamed(t *testing.T) {
	c := New()
	all := browsers(t)
	var device, browser, system int
	for _, userAgent := range all {
		a := c.Agent([]byte(userAgent), nil)
		if a.Device != "" && !slices.Contains(devices, a.Device) {
			t.Errorf("%s: device %q, which Devices does not have", userAgent, a.Device)
		}
		for field, n := range map[string]*int{a.Device: &device, a.Browser: &browser, a.OS: &system} {
			if field != "" {
				*n++
			}
		}
	}
	t.Logf("of %d browsers, %d devices, %d browsers, %d operating systems", len(all), device, browser, system)
	if min(device, browser, system) < 970 {
		t.Errorf("of %d browsers, %d devices, %d browsers, %d operating systems are told, want 970 of each",
			len(all), device, browser, system)
	}
}

// TestSpamIsFlagged counts the referrers of Matomo's list of another day than that of the list that ships.
func TestSpamIsFlagged(t *testing.T) {
	c := New()
	hosts := strings.Fields(string(realdata.Read(t, "badinput/referrer-spammers.txt")))
	flagged := 0
	for _, host := range hosts {
		if c.Source([]byte("https://shop.example/"), []byte("https://www."+host+"/x?y")).Spam {
			flagged++
		} else {
			t.Logf("not flagged: %s", host)
		}
	}
	t.Logf("%d of %d spam referrers are flagged", flagged, len(hosts))
	if len(hosts) == 0 || flagged*1000 < len(hosts)*990 {
		t.Errorf("%d of %d spam referrers are flagged, want 99 %%", flagged, len(hosts))
	}
}
