package show

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/footfall/footfall/query"
)

func TestSparklineScalesToTheGreatest(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{{[]float64{0, 1, 4, 8}, " ▂▅█"}, {[]float64{3}, "█"}, {[]float64{0, 0}, ""}, {nil, ""}, {[]float64{1000, 1}, "█▁"}} {
		if have := spark(c.values); have != c.want {
			t.Errorf("spark(%v) = %q, want %q", c.values, have, c.want)
		}
	}
}

func TestBarShowsAnyPart(t *testing.T) {
	for _, c := range []struct {
		part float64
		want string
	}{{0, ""}, {0.001, "▏"}, {50, "█████"}, {55, "█████▌"}, {100, "██████████"}} {
		if have := bar(c.part, 100, 10); have != c.want {
			t.Errorf("bar(%v) = %q, want %q", c.part, have, c.want)
		}
	}
}

// TestBarsTakeOnlyRoomThatIsLeft: bars come where a terminal has room for them, and push nothing out.
func TestBarsTakeOnlyRoomThatIsLeft(t *testing.T) {
	without := false
	for width := 45; width <= 260; width++ {
		l := Layout{Format: Table, Width: width}
		bare := printed(t, l, pages())
		l.Bars = true
		drawn := printed(t, l, pages())
		bars := strings.Contains(strings.Join(drawn, ""), "█")
		without = without || !bars
		for i, line := range drawn {
			if ansi.StringWidth(line) > width {
				t.Errorf("%d columns: line of %d: %q", width, ansi.StringWidth(line), line)
			}
			if header := strings.TrimSpace(bare[i]); !strings.HasPrefix(strings.TrimSpace(line), header) {
				t.Errorf("%d columns: %q with bars, %q without", width, line, bare[i])
			}
		}
		if width == 260 && (!bars || !without) {
			t.Errorf("bars at %d columns: %v, none at some width: %v; want both", width, bars, without)
		}
	}
}

func TestSitesHaveATrend(t *testing.T) {
	up, down, n := 0.25, -0.5, uint64(7)
	day := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	site := func(id string, trend *float64) query.SiteFigures {
		return query.SiteFigures{Site: query.Site{SiteID: id, Zone: "UTC"}, PageViews: 12, UniqueVisitors: &n, PageViewsChange: trend,
			Days:       []query.DayViews{{Start: day, PageViews: 4}, {Start: day.AddDate(0, 0, 1), PageViews: 8}},
			LastEvents: &query.Within{From: day.Add(9 * time.Hour), To: day.Add(10 * time.Hour)}}
	}
	a := query.SitesFiguresAnswer{Sites: []query.SiteFigures{site("more", &up), site("less", &down), site("new", nil)}}
	var out bytes.Buffer
	if err := Print(&out, &out, Layout{Format: Table, Width: 100, Bars: true, Color: true}, a); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[32m+25.0 %\x1b[0m", "\x1b[31m-50.0 %\x1b[0m", "\x1b[94m▅█\x1b[0m", "2026-05-12 09:00",
		"2026-05-12 to 2026-05-13"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	plain := strings.Join(printed(t, Layout{Format: Table}, a), "\n")
	if strings.ContainsAny(plain, "\x1b█") {
		t.Errorf("without colours and bars:\n%s", plain)
	}
}

// TestColoursEscapeWhatATerminalObeys: ids come from producers.
func TestColoursEscapeWhatATerminalObeys(t *testing.T) {
	a := query.SitesFiguresAnswer{Sites: []query.SiteFigures{{Site: query.Site{SiteID: "a\x1b[2J"}}}}
	var out bytes.Buffer
	if err := Print(&out, &out, Layout{Format: Table, Color: true}, a); err != nil || strings.Contains(out.String(), "\x1b[2J") {
		t.Errorf("%q (%v), want the escape sequence of the id escaped", out.String(), err)
	}
}

func TestRowsAsNDJSON(t *testing.T) {
	var out, notes bytes.Buffer
	a := query.SitesAnswer{Sites: []query.Site{{SiteID: "one"}, {SiteID: "two"}}, Cursor: "next"}
	if err := Print(&out, &notes, Layout{Format: NDJSON}, a); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[1], `{"siteId":"two",`) || !strings.Contains(notes.String(), "--cursor next") {
		t.Errorf("%q, notes %q; want a line a site, and the cursor", lines, notes.String())
	}
	out.Reset()
	err := Print(&out, &notes, Layout{Format: NDJSON}, query.UniquesAnswer{Site: "one"})
	if err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%q (%v), want one line", out.String(), err)
	}
}

func TestDocumentsBeginWithTheirVersion(t *testing.T) {
	for _, c := range []struct {
		answer any
		want   string
	}{{struct{}{}, "{\n  \"formatVersion\": 1}\n"}, {map[string]int{"a": 2}, "{\n  \"formatVersion\": 1,\n  \"a\": 2\n}\n"}} {
		var out bytes.Buffer
		if err := WriteJSON(&out, c.answer); err != nil || out.String() != c.want {
			t.Errorf("%q (%v), want %q", out.String(), err, c.want)
		}
	}
	if err := WriteJSON(&bytes.Buffer{}, []int{1}); err == nil {
		t.Error("a list is a document, want an error: it has no place for the version")
	}
}
