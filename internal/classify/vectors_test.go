package classify

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/footfall/footfall/internal/golden"
)

// vectors are cases that anybody may check an implementation with: testdata/vectors.json.
type vectors struct {
	Hostnames []struct {
		Name   string  `json:"name"`
		URL    string  `json:"url"`
		Want   string  `json:"want"`
		Former *string `json:"former,omitempty"` // by the rules of fold versions up to 11; absent: the same
	} `json:"hostnames"`
	Sources []struct {
		Name     string     `json:"name"`
		URL      string     `json:"url"`
		Referrer string     `json:"referrer"`
		Want     wantSource `json:"want"`
	} `json:"sources"`
	Agents []struct {
		Name      string    `json:"name"`
		UserAgent string    `json:"userAgent"`
		Want      wantAgent `json:"want"`
		Former    wantAgent `json:"former"` // by the rules of fold versions up to 11
	} `json:"agents"`
}

// wantSource is Source as the vectors spell it, without what is empty.
type wantSource struct {
	Referrer    string `json:"referrer,omitempty"`
	Channel     string `json:"channel"`
	UTMSource   string `json:"utmSource,omitempty"`
	UTMMedium   string `json:"utmMedium,omitempty"`
	UTMCampaign string `json:"utmCampaign,omitempty"`
	UTMContent  string `json:"utmContent,omitempty"`
	UTMTerm     string `json:"utmTerm,omitempty"`
	Spam        bool   `json:"spam,omitempty"`
}

type wantAgent struct {
	Device  string `json:"device,omitempty"`
	Browser string `json:"browser,omitempty"`
	OS      string `json:"os,omitempty"`
	Bot     bool   `json:"bot,omitempty"`
}

// TestVectors fails when an answer has changed: then Version's number must be raised, unless it has changed already.
func TestVectors(t *testing.T) {
	const file = "testdata/vectors.json"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	c := New()
	channels := map[string]bool{}
	for i, h := range v.Hostnames {
		if got := c.Hostname([]byte(h.URL)); got != h.Want {
			v.Hostnames[i].Want = got
			report(t, h.Name, got, h.Want)
		}
		former := h.Want
		if h.Former != nil {
			former = *h.Former
		}
		if got := c.By(FormerRules).Hostname([]byte(h.URL)); got != former {
			v.Hostnames[i].Former = &got
			report(t, h.Name+", by the former rules", got, former)
		}
	}
	for i, s := range v.Sources {
		got := wantSource(c.Source([]byte(s.URL), []byte(s.Referrer)))
		channels[got.Channel] = true
		if got != s.Want {
			v.Sources[i].Want = got
			report(t, s.Name, got, s.Want)
		}
	}
	for i, a := range v.Agents {
		if got := wantAgent(c.Agent([]byte(a.UserAgent), nil)); got != a.Want {
			v.Agents[i].Want = got
			report(t, a.Name, got, a.Want)
		}
		if got := wantAgent(c.By(FormerRules).Agent([]byte(a.UserAgent), nil)); got != a.Former {
			v.Agents[i].Former = got
			report(t, a.Name+", by the former rules", got, a.Former)
		}
	}
	for _, channel := range channelNames() {
		if !channels[channel] {
			t.Errorf("no vector has the channel %s", channel)
		}
	}
	if len(channels) != len(channelNames()) {
		t.Errorf("%d channels in the answers, there are %d", len(channels), len(channelNames()))
	}
	if golden.Updating() {
		rewrite(t, file, v)
	}
}

func report(t *testing.T, name string, got, want any) {
	t.Helper()
	if !golden.Updating() {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
}

func rewrite(t *testing.T, file string, v any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
