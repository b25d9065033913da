package sites_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/sites"
)

func TestMatches(t *testing.T) {
	page := func(how sites.PatternHow, text string) sites.Pattern {
		return sites.Pattern{On: sites.OnPage, How: how, Text: text}
	}
	event := func(typ, name string) sites.Pattern { return sites.Pattern{On: sites.OnEvent, Type: typ, Name: name} }
	for _, c := range []struct {
		name       string
		p          sites.Pattern
		typ, event string
		page       string // "": the event has none
		want       bool
	}{
		{"the page", page(sites.MatchExact, "/a"), "page_view", "", "/a", true},
		{"a page below it", page(sites.MatchExact, "/a"), "page_view", "", "/a/b", false},
		{"the page in other letters", page(sites.MatchExact, "/a"), "page_view", "", "/A", false},
		{"an event on the page that is no page view", page(sites.MatchExact, "/a"), "click", "", "/a", false},
		{"a page view without page", page(sites.MatchPrefix, "/"), "page_view", "", "", false},
		{"a page that begins so", page(sites.MatchPrefix, "/a"), "page_view", "", "/ab", true},
		{"a page that has it elsewhere", page(sites.MatchPrefix, "/a"), "page_view", "", "/b/a", false},
		{"a page that has it somewhere", page(sites.MatchContains, "b"), "page_view", "", "/abc", true},
		{"a page that has it nowhere", page(sites.MatchContains, "b"), "page_view", "", "/ac", false},
		{"a page that matches in part", page(sites.MatchRegexp, "[0-9]+"), "page_view", "", "/item/17/x", true},
		{"a page that must match whole", page(sites.MatchRegexp, "^/item/[0-9]+$"), "page_view", "", "/item/17/x", false},
		{"a regexp that does not care about letters", page(sites.MatchRegexp, "(?i)^/ITEM"), "page_view", "", "/item", true},
		{"a page without which a regexp would match", page(sites.MatchRegexp, ".*"), "page_view", "", "", false},
		{"the type", event("click", ""), "click", "x", "", true},
		{"another type", event("click", ""), "clicks", "x", "", false},
		{"the type of page views", event("page_view", ""), "page_view", "", "", true},
		{"the name, whatever the type", event("", "signup"), "any", "signup", "/a", true},
		{"no name", event("", "signup"), "signup", "", "/a", false},
		{"type and name", event("click", "signup"), "click", "signup", "", true},
		{"the type without the name", event("click", "signup"), "click", "other", "", false},
		{"the name without the type", event("click", "signup"), "other", "signup", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := c.p.Compile()
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Matches(absent(c.typ), absent(c.event), absent(c.page)); got != c.want {
				t.Errorf("%s matches type %q, name %q, page %q: %t, want %t", c.p, c.typ, c.event, c.page, got, c.want)
			}
			if m.Pattern() != c.p {
				t.Errorf("the matcher is of %v, want %v", m.Pattern(), c.p)
			}
		})
	}
}

func absent(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

func TestValidateNamesFieldValueAndRemedy(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		says          []string
	}{
		{"nothing to look on", `{}`, []string{`on ""`, "page or event"}},
		{"no comparison", `{"on":"page","text":"/a"}`, []string{`how ""`, "exact, prefix"}},
		{"no text", `{"on":"page","how":"contains"}`, []string{`text ""`, "page_view"}},
		{"a query", `{"on":"page","how":"exact","text":"/a?b=c"}`, []string{"/a?b=c", "leave out what follows"}},
		{"a fragment", `{"on":"page","how":"prefix","text":"/a#b"}`, []string{"/a#b", "leave out what follows"}},
		{"a host", `{"on":"page","how":"prefix","text":"https://a/b"}`, []string{"leave out scheme and host"}},
		{"a long text", `{"on":"page","how":"exact","text":"/` + strings.Repeat("a", sites.MaxPatternBytes) + `"}`,
			[]string{"2049 bytes", "at most 2048"}},
		{"a long regexp", `{"on":"page","how":"regexp","text":"` + strings.Repeat("a", sites.MaxRegexpBytes+1) + `"}`,
			[]string{"257 bytes", "at most 256"}},
		{"a regexp that does not parse", `{"on":"page","how":"regexp","text":"a("}`, []string{`"a("`, "missing closing", "regexp/syntax"}},
		{"a regexp with a backreference", `{"on":"page","how":"regexp","text":"(a)\\1"}`, []string{"invalid escape"}},
		{"a regexp of many repetitions", `{"on":"page","how":"regexp","text":"([a-z]{30}){30}"}`, []string{"instructions", "at most 500"}},
		{"a regexp of more repetitions than are counted", `{"on":"page","how":"regexp","text":"((a{1000}){1000}){1000}"}`,
			[]string{"invalid repeat count"}},
		{"a type on pages", `{"on":"page","how":"exact","text":"/a","type":"click"}`, []string{`type "click"`, "look on events"}},
		{"neither type nor name", `{"on":"event"}`, []string{"give one of them"}},
		{"a text on events", `{"on":"event","how":"prefix","text":"a"}`, []string{`how "prefix"`, "type, name or both"}},
		{"a long type", `{"on":"event","type":"` + strings.Repeat("a", 65) + `"}`, []string{"type of 65 bytes", "at most 64"}},
		{"a long name", `{"on":"event","name":"` + strings.Repeat("a", 129) + `"}`, []string{"name of 129 bytes", "at most 128"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p sites.Pattern
			if err := json.Unmarshal([]byte(c.pattern), &p); err != nil {
				t.Fatal(err)
			}
			err := p.Validate()
			if err == nil {
				t.Fatal("it is valid")
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("it says %q, want also %q", err, text)
				}
			}
			if _, err := sites.ParsePattern(c.pattern); err == nil {
				t.Error("Parse takes it")
			}
		})
	}
	if err := (sites.Pattern{On: sites.OnEvent, Name: "\xff"}).Validate(); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
}

// TestSpellings: JSON is what is stored, and so it must never change.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ short, json string }{
		{"page:/a", `{"on":"page","how":"exact","text":"/a"}`},
		{"page-prefix:/a b", `{"on":"page","how":"prefix","text":"/a b"}`},
		{"page-contains:page:", `{"on":"page","how":"contains","text":"page:"}`},
		{"page-regexp:^/[0-9]+$", `{"on":"page","how":"regexp","text":"^/[0-9]+$"}`},
		{"event:click", `{"on":"event","type":"click"}`},
		{"name:a name:b", `{"on":"event","name":"a name:b"}`},
		{"event:click name:sign up", `{"on":"event","type":"click","name":"sign up"}`},
		{"event:a name: name:b", `{"on":"event","type":"a","name":" name:b"}`},
		{`{"on":"event","type":"a name:b"}`, `{"on":"event","type":"a name:b"}`},
		{`{"on":"event","type":"a name:b","name":"c"}`, `{"on":"event","type":"a name:b","name":"c"}`},
	} {
		p, err := sites.ParsePattern(c.short)
		if err != nil || p.JSON() != c.json || p.String() != c.short {
			t.Errorf("Parse(%s) = %s, %v, spelled %s; want %s", c.short, p.JSON(), err, p, c.json)
		}
		if again, err := sites.ParsePattern(c.json); err != nil || again != p {
			t.Errorf("Parse(%s) = %v, %v; want %v", c.json, again, err, p)
		}
	}
	for _, text := range []string{"", "/a", "page", "pages:/a", "event:", "name:", "event: name:a", "event:a name:", `{"on":"page"`,
		`{"on":"event","type":"a"}{`, `{"on":"event","kind":"a"}`} {
		if p, err := sites.ParsePattern(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, p)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"page:/a", "event:a name:b", "name:x", `{"on":"page","how":"regexp","text":"a+"}`, "page-regexp:(a|b)*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := sites.ParsePattern(text)
		if err != nil {
			return
		}
		if again, err := sites.ParsePattern(p.String()); err != nil || again != p {
			t.Errorf("%q is read as %v, spelled %q, and that is read as %v, %v", text, p, p.String(), again, err)
		}
	})
}

// TestMatchingDoesNotAllocate: goals are matched on the pipeline's event path.
func TestMatchingDoesNotAllocate(t *testing.T) {
	typ, name, page := []byte("page_view"), []byte("signup"), []byte("/shop/item/17")
	for _, text := range []string{"page:/shop/item/17", "page-prefix:/shop", "page-contains:item", "event:page_view name:signup"} {
		p, err := sites.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() {
			if !m.Matches(typ, name, page) {
				t.Fatal("no match")
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}
