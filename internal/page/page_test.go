package page

import (
	"bytes"
	"compress/gzip"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// hostile are texts as producers may send them.
var hostile = []string{"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "' onmouseover='alert(1)", "\u202egnp.exe\u202c",
	strings.Repeat("a", 2048), "javascript:alert(1)", "</title></table></svg>", "{{.Title}}", "nul\x00tab\tline\nend",
	"&lt;b&gt;", "\U0001F600\u200f", "\xff\xfe"}

// day is when the first bucket of views begins.
var day = time.Date(2026, 5, 10, 0, 0, 0, 0, time.UTC)

func visitors(n uint64) *uint64 { return &n }

// view has a site whose texts are all the same, with three days, of which one is not known and the last is not over.
func view(text string) SiteView {
	now := query.Figures{PageViews: 1234567, Events: 2000000, UniqueVisitors: visitors(54321), VisitorsError: 0.008125, Sessions: 900,
		BounceRate: new(0.4567), AvgDurationMs: new(int64(83_000)), PagesPerSession: new(1.5), ValueSum: "0", Conversions: 7}
	before := now
	before.PageViews, before.UniqueVisitors, before.BounceRate = 1000000, visitors(60000), new(0.4)
	change := now.Since(before)
	bucket := func(i int, n *uint64) query.Bucket {
		return query.Bucket{Start: day.AddDate(0, 0, i), End: day.AddDate(0, 0, i+1), InProgress: i == 3,
			Figures:  query.Figures{UniqueVisitors: n, PageViews: 10, ValueSum: "0"},
			Previous: &query.Bucket{Figures: query.Figures{UniqueVisitors: visitors(5)}}}
	}
	v := SiteView{At: links.Address{Site: text, Values: map[string]string{"from": "-4d"}},
		Site: &query.Site{SiteID: text, Name: text, Zone: "UTC"},
		Stats: query.StatsAnswer{Site: text, By: query.Day, Zone: "UTC", From: day, To: day.AddDate(0, 0, 4), InProgress: true, Totals: &now,
			Previous: &query.Previous{From: day.AddDate(0, 0, -4), To: day, Totals: &before, Change: &change, ByBucket: true},
			Buckets:  []query.Bucket{bucket(0, visitors(40)), bucket(1, nil), bucket(2, visitors(20)), bucket(3, visitors(8))}},
		Goals: query.GoalStatsAnswer{From: day, Totals: &query.GoalTotals{Goals: []query.GoalFigures{{ID: text, Name: text, Conversions: 7,
			ValueSum: "1.5"}}}},
		Realtime: query.RealtimeAnswer{CurrentVisitors: 3, PageViews: 9, ActivePages: []query.ActivePage{{Page: text, PageViews: 4}}},
		Read:     day, Units: 12.5}
	v.Sessions = &query.SessionsAnswer{Sessions: []query.Session{visit(text)}}
	for _, s := range lists.Sections() {
		v.Tops = append(v.Tops, query.TopAnswer{Site: text, Dimension: s.Dimension, Sort: s.Sort, From: day, To: day.AddDate(0, 0, 4), Values: 2,
			Rows: []query.TopRow{{Value: text, Uncertain: 3, TopCounts: query.TopCounts{Share: new(0.5), Events: 50, PageViews: 40,
				UniqueVisitors: 30, Entries: 20, Exits: 10}}},
			Other: query.TopCounts{Events: 9, PageViews: 8, UniqueVisitors: 7}, None: &query.TopNone{Events: 5, PageViews: 4}})
	}
	return v
}

// visit is a session whose texts are all the same.
func visit(text string) query.Session {
	return query.Session{SessionID: text, VisitorID: text, UserID: text, StartedAt: day, EntryPage: text, ExitPage: text, Goals: []uint64{1},
		Origin: query.Origin{Referrer: text, Channel: text, UTMCampaign: text, Country: text, City: text, Device: text, Browser: text, OS: text}}
}

// pages renders every page with a text in each place where a producer or an owner may have written one.
func pages(t *testing.T, text string) map[string]string {
	t.Helper()
	v := view(text)
	rendered := map[string]string{}
	for name, render := range map[string]func(*bytes.Buffer) error{
		"site": func(b *bytes.Buffer) error { return Site(b, v) },
		"sites": func(b *bytes.Buffer) error {
			return Sites(b, SitesView{SitesFiguresAnswer: query.SitesFiguresAnswer{Sites: []query.SiteFigures{{Site: *v.Site},
				{Site: query.Site{SiteID: text}}}, Cursor: text},
				Values: map[string]string{"search": text, "tz": text}})
		},
		"top": func(b *bytes.Buffer) error {
			at := links.Address{Site: text, Values: map[string]string{"tz": text, "cursor": text, "sort": text}}
			answer := v.Tops[0]
			answer.Cursor, answer.Dimension = text, query.PropertyPrefix+text
			return Top(b, TopView{At: at, Answer: answer, Before: &answer})
		},
		"sessions": func(b *bytes.Buffer) error {
			at := links.Address{Site: text, Values: map[string]string{"visitor": text, "cursor": text}}
			return Sessions(b, SessionsView{At: at, Answer: query.SessionsAnswer{Sessions: []query.Session{visit(text)}, Cursor: text},
				Zone: time.UTC})
		},
		"session": func(b *bytes.Buffer) error {
			return Session(b, SessionView{At: links.Address{Site: text}, Zone: time.UTC,
				Session: query.SessionAnswer{SessionID: text, Found: true, StartedAt: &day, Events: 3, Parts: []query.Session{visit(text)}},
				Events: query.EventsAnswer{Cursor: text, Events: []query.Event{{Timestamp: day, Type: text, Name: text, Title: text, URL: text,
					Properties: []byte(`{"a":1}`)}}}, Goals: []query.Goal{{Number: 1, Name: text}}})
		},
		"now": func(b *bytes.Buffer) error {
			return NowPages(b, NowView{At: links.Address{Site: text, Values: map[string]string{"tz": text}}, Realtime: v.Realtime, Zone: time.UTC})
		},
		"fault": func(b *bytes.Buffer) error {
			return Fault(b, FaultView{Title: "Not Found", Detail: text, Wrong: []string{text}})
		},
		"login": func(b *bytes.Buffer) error { return Login(b, LoginView{Next: "/", In: true, Note: text}) },
		"form":  func(b *bytes.Buffer) error { return Login(b, LoginView{Next: "/", Wrong: text}) },
	} {
		var b bytes.Buffer
		if err := render(&b); err != nil {
			t.Fatalf("%s of %q: %v", name, text, err)
		}
		rendered[name] = b.String()
	}
	return rendered
}

var (
	tag       = regexp.MustCompile(`<[^>]*>`)
	tagName   = regexp.MustCompile(`^</?([a-z0-9]+)`)
	attribute = regexp.MustCompile(`\s([a-zA-Z-]+)(="[^"<>]*")?`)
)

// TestTextsStayTexts: whatever producers send, a page has the tags and attributes that it has of a plain text. So nothing of it is
// executed, loaded or laid out. Nor does a page have a script or a style but the ones that it loads.
func TestTextsStayTexts(t *testing.T) {
	plain := pages(t, "plain")
	for name, page := range plain {
		tags := tag.FindAllString(page, -1)
		if len(tags) < 15 {
			t.Errorf("%s: %d tags", name, len(tags))
		}
		for _, s := range tags {
			of := tagName.FindStringSubmatch(s)
			if of != nil && slices.Contains([]string{"script", "style", "iframe", "object", "img"}, of[1]) &&
				s != `<script src="`+assetPath("script")()+`" defer>` && s != "</script>" {
				t.Errorf("%s has %s", name, s)
			}
			for _, a := range attribute.FindAllStringSubmatch(s, -1) {
				if a[1] == "style" || strings.HasPrefix(a[1], "on") {
					t.Errorf("%s has the attribute %s in %s", name, a[1], s)
				}
				if strings.Contains(a[2], "//") && a[1] != "xmlns" {
					t.Errorf("%s leads to another origin: %s", name, s)
				}
			}
		}
	}
	for _, text := range hostile {
		for name, page := range pages(t, text) {
			if got, want := skeleton(page), skeleton(plain[name]); got != want {
				t.Errorf("%s of %.40q has other tags:\n%s\nwant\n%s", name, text, got, want)
			}
			if i := strings.IndexFunc(page, func(r rune) bool { return r == 0 || '\u202a' <= r && r <= '\u202e' || r == '\u200f' }); i >= 0 {
				t.Errorf("%s of %.40q has a hidden character: %q", name, text, page[i:min(i+40, len(page))])
			}
		}
	}
}

// skeleton is a page without its texts and the values of its attributes.
func skeleton(page string) string {
	var all strings.Builder
	for _, s := range tag.FindAllString(page, -1) {
		all.WriteString(tagName.FindString(s))
		for _, a := range attribute.FindAllStringSubmatch(s, -1) {
			all.WriteString(" " + a[1])
		}
		all.WriteString("\n")
	}
	return all.String()
}

func TestPageOfASiteHasItsFigures(t *testing.T) {
	page := html.UnescapeString(pages(t, "shop.example")["site"])
	for _, want := range []string{"<strong>~54,321</strong>", "± 0.8 %", "<strong>1,234,567</strong>", "<strong>45.7 %</strong>",
		"<strong>1m 23s</strong>", `<span class="better">+23.5 %</span> <small>from 1,000,000</small>`, `<span class="worse">−9.5 %</span>`,
		`<span class="worse">+5.7 points</span>`, ">10 May 2026 – 13 May 2026<", "Sun 10 May 2026: 40, before: 5",
		"Wed 13 May 2026: 8, before: 5, so far",
		"Mon 11 May 2026: –, before: 5", "may lack up to 3 events", "for 12.5 read units", "(others)", "(none)",
		"Days are those of UTC, the site's zone.",
		"The range is not over", `href="/sites/shop.example/top/page?from=-4d&sort=pageViews"`,
		`href="/sites/shop.example?figure=bounceRate&from=-4d"`, `href="/sites/shop.example?period=2026-05-11"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// The line has a gap where the figure is not known, and the last bucket, which is not over, is dashed.
func TestGraphShowsWhatIsKnown(t *testing.T) {
	v := view("shop")
	g := chart.Draw(v.Stats, v.At)
	// 40 of 40 is at the top of 190 units, 20 in the middle, 8 at four fifths; buckets are in the middles of quarters.
	for _, c := range []struct{ name, got, want string }{{"line", g.Line, "M125.0 0.0M625.0 95.0"},
		{"open", g.Open, "M625.0 95.0L875.0 152.0"},
		{"area", g.Area, "M125.0 190.0L125.0 0.0L125.0 190.0ZM625.0 190.0L625.0 95.0L625.0 190.0Z"}} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	if len(g.Lines) != 5 || g.Lines[4].Value != "40" || g.Lines[1].Value != "10" || len(g.Dots) != 3 || len(g.Buckets) != 4 {
		t.Errorf("%d lines, %d dots, %d buckets: %+v", len(g.Lines), len(g.Dots), len(g.Buckets), g.Lines)
	}
}

func TestScaleHoldsTheGreatest(t *testing.T) {
	for _, greatest := range []float64{0, 0.003, 0.5, 1, 2, 3, 4, 5, 7, 9, 10, 11, 39, 40, 41, 99, 12345, 4e9} {
		for _, whole := range []bool{true, false} {
			top, step := chart.Scale(greatest, whole)
			if steps := top / step; top < greatest || steps > 4.001 || steps < 0.999 || whole && step < 1 {
				t.Errorf("scale(%v, %v) = %v by %v", greatest, whole, top, step)
			}
		}
	}
}

func TestNumbersAreSpelled(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{locale.Count(0), "0"}, {locale.Count(999), "999"}, {locale.Count(1000), "1,000"}, {locale.Count(-1234567), "−1,234,567"},
		{locale.Percent(0.12345), "12.3 %"},
		{locale.Percent(-0.0001), "0.0 %"}, {locale.Span(0), "0.0s"}, {locale.Span(9_940), "9.9s"}, {locale.Span(59_400), "59s"},
		{locale.Span(61_000), "1m 01s"},
		{locale.Span(3_599_999), "1h 00m"}, {locale.Span(7_260_000), "2h 01m"}, {locale.Signed(1, "1"), "+1"}, {locale.Signed(-1, "−1"), "−1"},
		{locale.Estimate(5000, 0.01), "~5,000"}} {
		if got := locale.InEnglish(c.got); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// All that a page loads is small enough for a slow line, and comes in three requests with the page itself. An icon is asked for later, if
// at all.
func TestAssetsAreSmallAndFew(t *testing.T) {
	sum, packed := 0, 0
	for _, a := range Assets {
		sum += len(a.Content)
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(a.Content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		packed += b.Len()
		if bytes.Contains(a.Content, []byte("url(")) || bytes.Contains(a.Content, []byte("@import")) {
			t.Errorf("%s loads something else", a.Path)
		}
	}
	if sum > 100<<10 || packed > 35<<10 {
		t.Errorf("assets have %d bytes, %d gzipped; want at most 100 KB and 35 KB", sum, packed)
	}
	for name, page := range pages(t, "plain") {
		if strings.Count(page, "<script") != 1 || strings.Count(page, `rel="stylesheet"`) != 1 || strings.Count(page, " src=") != 1 {
			t.Errorf("%s loads more than a script and a style", name)
		}
	}
}
