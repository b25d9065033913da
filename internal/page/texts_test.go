package page

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// textsOfTables are texts that say is given in variables.
func textsOfTables() (all []string) {
	for _, f := range chart.All {
		all = append(all, f.Title)
	}
	for _, c := range lists.CardsOf {
		all = append(all, c.Title)
		for _, s := range c.Sections {
			all = append(all, s.Title, s.Column)
		}
	}
	for _, d := range dimensionTitles {
		all = append(all, d.title)
	}
	for _, o := range operators {
		all = append(all, o.words)
	}
	for _, c := range topColumns {
		all = append(all, c.title)
	}
	for _, title := range titles() {
		all = append(all, title)
	}
	all = slices.AppendSeq(all, maps.Values(recountHolds))
	all = append(all, query.Sizes...)
	return append(all, lists.OthersRow, lists.NoneRow, lists.DirectRow, lists.NoneNote, notUnderFilters, estimatesNote, "This cannot be shown")
}

// literal returns the constant string that an expression is; ok is false if it is none.
func literal(e ast.Expr) (s string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, isX := literal(e.X)
		y, isY := literal(e.Y)
		return x + y, isX && isY && e.Op == token.ADD
	}
	return "", false
}

// textsOfSource are all constant strings of the package, and those of them that are the first thing a call of Say, t or add is given.
func textsOfSource(t *testing.T) (all, said map[string]bool) {
	t.Helper()
	all, said = make(map[string]bool), make(map[string]bool)
	var files []string
	for _, pattern := range []string{"*.go", "*/*.go", "../serve/*.go", "../serve/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(filepath.Base(file), "texts_") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s, ok := literal(e); ok {
					all[s] = true
				}
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				called = f.Name
			case *ast.SelectorExpr:
				called = f.Sel.Name
			}
			for i, a := range call.Args {
				s, isText := literal(a)
				if isText && (called == "Say" && i == 0 ||
					called == "add" && i == 1 && file == "notes.go") {
					said[s] = true
				}
			}
			return true
		})
	}
	templates, err := filepath.Glob("templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range templates {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`[{(]t ("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(string(source), -1) {
			s, err := strconv.Unquote(m[1])
			if err != nil {
				t.Fatal(err)
			}
			all[s], said[s] = true, true
		}
	}
	for _, s := range textsOfTables() {
		said[s] = true
	}
	return all, said
}

// Each text has a translation into each language, about the same things. No translation is of a text that the page does not have.
func TestTextsAreTranslated(t *testing.T) {
	all, said := textsOfSource(t)
	if len(said) < 200 {
		t.Fatalf("%d texts were found: where are the others?", len(said))
	}
	for tag, of := range locale.Translations {
		for english := range said {
			own, ok := of[english]
			if !ok || own == "" {
				t.Errorf("%s lacks %q", tag, english)
			}
		}
		for english, own := range of {
			if !all[english] && !said[english] {
				t.Errorf("%s translates %q, which no page has", tag, english)
			}
			if about, want := places(own), places(english); !slices.Equal(about, want) {
				t.Errorf("%s: %q is about %v, and %q about %v", tag, own, about, english, want)
			}
		}
	}
}

// place is a verb of a text.
var place = regexp.MustCompile(`%(\[[1-9]\])?s`)

// places are the numbers of what a text is about, sorted.
func places(text string) (all []int) {
	for i, m := range place.FindAllStringSubmatch(text, -1) {
		if n := i + 1; m[1] == "" {
			all = append(all, n)
		} else {
			all = append(all, int(m[1][1]-'0'))
		}
	}
	slices.Sort(all)
	return all
}

// bracketed replaces German texts by the English ones in brackets. Text without brackets was not translated.
func bracketed(t *testing.T) {
	t.Helper()
	german := locale.Translations["de"]
	own := make(map[string]string, len(german))
	for english := range german {
		own[english] = "⟦" + place.ReplaceAllString(english, "⟧$0⟦") + "⟧"
	}
	locale.Translations["de"] = own
	t.Cleanup(func() { locale.Translations["de"] = german })
}

// inBrackets are texts that say has written; shown are texts and attributes that people read.
var (
	inBrackets = regexp.MustCompile(`⟦[^⟧]*⟧`)
	shown      = regexp.MustCompile(`>([^<]*)<|(?: title| aria-label| placeholder| data-(?:text|copy|copied|graph|list))="([^"]*)"`)
	letters    = regexp.MustCompile(`\p{L}{2,}`)
)

// All words of a page are in its language, but for names of programs and what others wrote.
func TestPagesHaveNoOtherWords(t *testing.T) {
	bracketed(t)
	same := strings.Fields("footfall API CSV UTC API goal funnel create list site update shop new-visitors on lt gt amp " +
		"So Mo Di Mi Do Fr Sa Mai Jan Apr DE Deutschland")
	filtered, early, stale := view("11"), view("11"), view("11")
	filtered.At.Where = []query.Condition{of("country", query.IsNot, "DE"), of("entry", query.Is, "1")}
	filtered.Filtering = &Filtering{Scope: query.ScopeSessions, Source: query.FromEvents, Cost: &query.FilterCost{}, Missing: 2, Lacking: 3,
		NotCompared: NoDataBefore(day), Dear: true, Compared: true}
	early.Filtering = &Filtering{Why: TooDear(query.FilterCost{}, 5), TooMany: true, Since: day.AddDate(0, 0, 2), To: day.AddDate(0, 0, 4),
		From: day, Alone: filtered.At.Where, Source: query.FromBreakdowns}
	early.At.Where, early.Tops = filtered.At.Where, make([]query.TopAnswer, len(early.Tops))
	early.FilteredGoals, early.Stats.Totals.UniqueVisitors, early.Stats.Incomplete = nil, nil, true
	stale.Stats.CompleteThrough, stale.Verified.Reason, stale.Stats.Previous.ToDate = new(day.Add(time.Hour)), query.NotVerified, true
	stale.Stats.Warnings = []query.Warning{{Kind: query.WarnParked, Through: day}, {Kind: query.WarnBehind, Partition: "1/3", OfSite: true}}
	stale.Stats.Stored = &query.Stored{From: day, To: day.AddDate(0, 0, 1), Expired: true}
	stale.Stats.Previous.DataFrom, stale.Funnels = new(day.AddDate(0, 0, -3)), &query.FunnelsAnswer{Funnels: []query.Funnel{{FunnelID: "1"}}}
	render := map[string]func(b *bytes.Buffer, look links.Look) error{
		"now": func(b *bytes.Buffer, look links.Look) error {
			return NowPages(b, NowView{At: links.Address{Look: look, Site: "1"}, Realtime: early.Realtime, Zone: time.UTC})
		},
		"sites": func(b *bytes.Buffer, look links.Look) error {
			return Sites(b, SitesView{Look: look, Units: 3, SitesFiguresAnswer: query.SitesFiguresAnswer{Cursor: "1",
				Sites: []query.SiteFigures{{Site: *early.Site, VisitorsError: 0.1, Incomplete: true}}}})
		},
		"fault": func(b *bytes.Buffer, look links.Look) error {
			return Fault(b, FaultView{Look: look, Title: "This cannot be shown", Detail: "1", Site: "1"})
		},
	}
	for name, v := range map[string]SiteView{"site": view("11"), "filtered": filtered, "early": early, "stale": stale} {
		render[name] = func(b *bytes.Buffer, look links.Look) error {
			v.At.Look, v.Units = look, 3
			return Site(b, v)
		}
	}
	for name, v := range map[string]TopView{"top": {Answer: view("11").Tops[0]}, "found": {Answer: view("11").Tops[3]}, "none": {}} {
		render[name] = func(b *bytes.Buffer, look links.Look) error {
			v.At = links.Address{Look: look, Site: "1", Values: map[string]string{"search": map[string]string{"found": "1"}[name]}}
			v.Answer.NotBrokenDown, v.Answer.AbsentAtMost, v.Answer.Cursor = 1, 2, "1"
			return Top(b, v)
		}
	}
	for name, write := range render {
		var b bytes.Buffer
		if err := write(&b, links.Look{Language: "de", Account: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `<html lang="de"`) {
			t.Errorf("%s does not say that it is in German", name)
		}
		text := regexp.MustCompile(`(?s)<code>.*?</code>|<bdi[^>]*>.*?</bdi>`).ReplaceAllString(b.String(), "")
		for _, m := range shown.FindAllStringSubmatch(text, -1) {
			rest := inBrackets.ReplaceAllString(m[1]+m[2], " ")
			for _, word := range letters.FindAllString(rest, -1) {
				if !slices.Contains(same, word) {
					t.Errorf("%s has the word %s in no text: %q", name, word, m[0])
				}
			}
		}
	}
}
