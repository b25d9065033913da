package page

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// reportSections are the lists of a report.
var reportSections = []lists.Section{
	{Title: "Pages", Dimension: "page", Sort: "pageViews", Column: "Views"},
	{Title: "Sources", Dimension: "referrer", Sort: "uniqueVisitors", Column: "Visitors"},
	{Title: "Channels", Dimension: "channel", Sort: "uniqueVisitors", Column: "Visitors"},
	{Title: "Countries", Dimension: "country", Sort: "uniqueVisitors", Column: "Visitors"},
}

// ReportLists are the questions of a report about a site's values, for [query.Reader.Tops].
func ReportLists() (all []query.TopList) {
	for _, s := range reportSections {
		all = append(all, query.TopList{Dimension: s.Dimension, Sort: s.Sort, Limit: lists.SectionRows})
	}
	return all
}

// ReportBuckets is the size of the buckets that the graph of a report of a range has.
func ReportBuckets(of query.Range) query.By {
	switch days := of.To.Sub(of.From).Hours() / 24; {
	case days < 1.5:
		return query.Hour
	case days < 63:
		return query.Day
	}
	return query.Month
}

// ReportView is what a report says.
type ReportView struct {
	Site  string            // its id
	Known *query.Site       // nil: the site has events and no settings
	Stats query.StatsAnswer // by ReportBuckets, with the range before
	Tops  []query.TopAnswer // of ReportLists
	Goals query.GoalStatsAnswer
	Where []query.Condition // its filters
}

// The graph of a report, in pixels. Mail readers do not support relative widths.
const (
	reportWidth  = 600
	reportHeight = 140
)

// reportData is a ReportView as its templates have it.
type reportData struct {
	Title, Range, Zone, Before string
	Filters                    string // in words; "": there are none
	Tiles                      []chart.Tile
	Graph                      string // title of the graph
	By                         query.By
	Bars                       []ReportBar
	Width, Height              int
	Lists                      []ReportList
	GoalRows                   []GoalRow
	Notes                      []string
}

// ReportList is a list of a report.
type ReportList struct {
	lists.List
	None string // says how many events are in no row, where rows are of visitors; "": none, or rows are of events
}

// ReportBar is a bar of the graph of a report, with what it says.
type ReportBar struct {
	X, Y, Width, Height float64
	Label, Says         string
}

func (v ReportView) data() reportData {
	a := v.Stats
	at := links.Address{Site: v.Site, Where: v.Where}
	if len(v.Where) > 0 {
		at.Lacks = filtered.Lacking(query.ScopeOf(v.Where), a)
	}
	d := reportData{Title: title(SiteView{At: at, Site: v.Known}), Range: locale.Range(a.From, a.To), Filters: strings.Join(saysAll(at), ", "),
		Zone: zoneNote(a, v.Known), Tiles: chart.Tiles(a, at), Width: reportWidth, Height: reportHeight,
		GoalRows: goalRows(v.Goals, nil),
		Notes:    reportNotes(SiteView{Stats: a, Tops: v.Tops}), By: a.By}
	if t := a.Totals; t != nil && t.Values > 0 {
		number := chart.Tile{Title: "Values", Value: locale.Count(t.Values)}
		if p := a.Previous; p != nil && p.Change != nil {
			f := chart.Figure{Name: "values"}
			number.Change, number.Trend = f.SpellChange(f.Change(p.Change))
		}
		d.Tiles = append(d.Tiles, number)
	}
	if p := a.Previous; p != nil {
		d.Before = locale.Range(p.From, p.To)
	}
	d.Graph, d.Bars = reportBars(a)
	for i, top := range v.Tops {
		if l := reportList(top, reportSections[i], v.Site); len(l.Rows) > 0 {
			d.Lists = append(d.Lists, l)
		}
	}
	return d
}

// reportList is a list of a report. The visitors of events without a value are not known, so such events are no row among visitors.
func reportList(a query.TopAnswer, s lists.Section, site string) ReportList {
	l := ReportList{List: lists.New(a, s, nil, links.Address{Site: site})}
	if n := a.None; s.Sort == "uniqueVisitors" && n != nil && n.Events > 0 {
		l.Rest = slices.DeleteFunc(l.Rest, func(r lists.ListRow) bool { return r.Value == locale.Say(lists.NoneRow) })
		l.None = "events without a value: " + locale.Count(n.Events)
	}
	return l
}

// reportNotes are those of the site's page that a report needs, which is of a time that is over and shows no standard errors.
func reportNotes(v SiteView) (all []string) {
	for _, n := range notes(v) {
		if n == locale.Say(estimatesNote) {
			n = "Numbers of visitors with a ~ are estimates."
		}
		all = append(all, n)
	}
	if through := completeText(v.Stats); through != "" {
		all = append(all, "Complete up to records of "+through+".")
	}
	return all
}

// reportBars draw the visitors of each day, or the page views if visitors are unknown.
func reportBars(a query.StatsAnswer) (title string, bars []ReportBar) {
	f := chart.All[0]
	if a.Totals == nil || a.Totals.UniqueVisitors == nil {
		f = chart.All[1]
	}
	greatest := 1.0
	for _, b := range a.Buckets {
		x, _ := f.Value(&b.Figures)
		greatest = max(greatest, x)
	}
	width := float64(reportWidth) / float64(max(1, len(a.Buckets)))
	for i, b := range a.Buckets {
		x, _ := f.Value(&b.Figures)
		height := reportHeight * x / greatest
		shown := f.Show(&b.Figures)
		if chart.BeforeData(a, b) {
			shown = locale.Unknown
		}
		bar := ReportBar{X: width*float64(i) + 1, Y: reportHeight - height, Width: max(1, width-2), Height: height,
			Says: locale.Spell(b.Start, reportName(a.By)) + ": " + shown}
		if len(a.Buckets) <= 12 || i%7 == 0 {
			bar.Label = locale.Spell(b.Start, reportLabel(a.By))
		}
		bars = append(bars, bar)
	}
	return f.Title, bars
}

// reportName is how a bucket is named in a list, as a layout of time.
func reportName(by query.By) string {
	switch by {
	case query.Hour:
		return "15:04"
	case query.Month:
		return "Jan 2006"
	}
	return "Mon 2 Jan"
}

// reportLabel is how a bucket is named below the graph.
func reportLabel(by query.By) string {
	if by == query.Day {
		return "2 Jan"
	}
	return reportName(by)
}

// ReportHTML writes a report as an HTML document that loads nothing, with its styles in it and its graph as SVG.
func ReportHTML(w io.Writer, v ReportView) error {
	return render(w, links.Look{}, "report.html", v.data())
}

// ReportText writes a report as plain text.
func ReportText(w io.Writer, v ReportView) error {
	d := v.data()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", d.Title, locale.InEnglish(d.Range))
	if d.Filters != "" {
		fmt.Fprintf(&b, "only what passes: %s\n", locale.InEnglish(d.Filters))
	}
	if d.Before != "" {
		fmt.Fprintf(&b, "compared with %s\n", locale.InEnglish(d.Before))
	}
	b.WriteString("\n")
	for _, t := range d.Tiles {
		line := fmt.Sprintf("%-18s %12s  %s", locale.InEnglish(t.Title), locale.InEnglish(t.Value), locale.InEnglish(t.Change))
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(&b, "\n%s by %s\n", d.Graph, d.By)
	for _, bar := range d.Bars {
		day, figure, _ := strings.Cut(locale.InEnglish(bar.Says), ": ") // An hour has no blank after its colon.
		line := fmt.Sprintf("  %-10s %10s  %s", day, figure, strings.Repeat("#", int(30*bar.Height/reportHeight)))
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	for _, l := range d.Lists {
		fmt.Fprintf(&b, "\n%s (%s)\n", locale.InEnglish(l.Title), strings.ToLower(locale.InEnglish(l.Column)))
		for _, r := range append(l.Rows, l.Rest...) {
			line := fmt.Sprintf("  %s %10s  %s", padded(locale.InEnglish(r.Value), 44), locale.InEnglish(r.Figure), locale.InEnglish(r.Share))
			fmt.Fprintln(&b, strings.TrimRight(line, " "))
		}
		if l.None != "" {
			fmt.Fprintf(&b, "  (%s)\n", locale.InEnglish(l.None))
		}
	}
	if len(d.GoalRows) > 0 {
		b.WriteString("\nGoals (conversions, rate)\n")
	}
	for _, g := range d.GoalRows {
		fmt.Fprintf(&b, "  %s %10s  %s\n", padded(g.Name, 44), locale.InEnglish(g.Conversions), locale.InEnglish(g.Rate))
	}
	b.WriteString("\n")
	for _, n := range append([]string{d.Zone}, d.Notes...) {
		fmt.Fprintln(&b, locale.InEnglish(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// padded brings a text to a number of characters, and shortens a longer one.
func padded(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s + strings.Repeat(" ", n-utf8.RuneCountInString(s))
}

// ReportMIME writes a report as a message without sender and recipients, for programs such as sendmail -t: its subject, the text and the
// HTML document.
func ReportMIME(w io.Writer, v ReportView) error {
	d := v.data()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	if err := parts.SetBoundary(reportBoundary); err != nil {
		return err
	}
	for _, part := range []struct {
		kind  string
		write func(io.Writer, ReportView) error
	}{{"text/plain", ReportText}, {"text/html", ReportHTML}} {
		to, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {part.kind + "; charset=utf-8"},
			"Content-Transfer-Encoding": {"quoted-printable"}})
		if err != nil {
			return err
		}
		encoded := quotedprintable.NewWriter(to)
		if err := part.write(encoded, v); err != nil {
			return err
		}
		if err := encoded.Close(); err != nil {
			return err
		}
	}
	if err := parts.Close(); err != nil {
		return err
	}
	subject := mime.QEncoding.Encode("utf-8", strings.TrimRight(padded(d.Title, 60), " ")+": "+locale.InEnglish(d.Range))
	_, err := fmt.Fprintf(w, "MIME-Version: 1.0\r\nSubject: %s\r\nContent-Type: %s\r\n\r\n%s", strings.ReplaceAll(subject, " ", "\r\n "),
		mime.FormatMediaType("multipart/alternative", map[string]string{"boundary": reportBoundary}), body.Bytes())
	return err
}

// reportBoundary is between the parts of a message. Quoted-printable text has no "=_".
const reportBoundary = "=_footfall-report"
