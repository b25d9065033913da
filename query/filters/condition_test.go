package filters_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/ranges"
)

// Commas separate values, and quotation marks keep them. The same values are spelled the same, in whatever order they are given.
func TestSeveralValuesAreReadInAnyOrder(t *testing.T) {
	for text, want := range map[string]struct {
		values  []string
		spelled string
	}{
		"country=DE,AT,CH":                   {[]string{"AT", "CH", "DE"}, "country=AT,CH,DE"},
		"country=AT,DE,AT":                   {[]string{"AT", "DE"}, "country=AT,DE"},
		"country!=DE,AT":                     {[]string{"AT", "DE"}, "country!=AT,DE"},
		`city="Washington, D.C."`:            {[]string{"Washington, D.C."}, `city="Washington, D.C."`},
		`city=Vienna,"Washington, D.C."`:     {[]string{"Vienna", "Washington, D.C."}, `city=Vienna,"Washington, D.C."`},
		`city="Vienna"`:                      {[]string{"Vienna"}, "city=Vienna"},
		`referrer=google.com,""`:             {[]string{"", "google.com"}, `referrer="",google.com`},
		`referrer=""`:                        {[]string{""}, "referrer="},
		"referrer=":                          {[]string{""}, "referrer="},
		`event="say ""hi"", then",x"y`:       {[]string{`say "hi", then`, `x"y`}, `event="say ""hi"", then",x"y`},
		`event="""quoted"""`:                 {[]string{`"quoted"`}, `event="""quoted"""`},
		`page^=/docs/,/a=b`:                  {[]string{"/a=b", "/docs/"}, "page^=/a=b,/docs/"},
		`event=" a",b`:                       {[]string{" a", "b"}, `event=" a",b`},
		"event= a":                           {[]string{" a"}, `event=" a"`},
		"page=" + strings.Repeat("a", 256):   {[]string{strings.Repeat("a", 256)}, "page=" + strings.Repeat("a", 256)},
		"goal=" + numbers(50):                {strings.Split(numbers(50), ","), "goal=" + numbers(50)},
		"page=" + strings.Repeat("a,", 9e3):  {nil, "one is missing"},
		"country=DE,":                        {nil, "one is missing"},
		"country=DE,,AT":                     {nil, "one is missing"},
		"country=,DE":                        {nil, "one is missing"},
		"city=Washington, D.C.":              {nil, "quote a value with a comma"},
		`city="Washington`:                   {nil, "a quotation mark is missing"},
		`city="`:                             {nil, "a quotation mark is missing"},
		`city="a"b`:                          {nil, "a quotation mark is missing"},
		`city="a" ,b`:                        {nil, "a quotation mark is missing"},
		`page^="",/docs/`:                    {nil, "the value is empty"},
		`goal=a,""`:                          {nil, "the value is empty"},
		"country=" + numbers(51):             {nil, "51 values: give 50 at most"},
		"page=a," + strings.Repeat("b", 257): {nil, "257 bytes"},
		"page=" + numbers(9) + long(9):       {nil, "give fewer, of 2048 at most"},
	} {
		c, err := filters.ParseCondition(text)
		if want.values == nil {
			if wrong, ok := errors.AsType[*ranges.ParamError](err); !ok || !strings.Contains(err.Error(), want.spelled) || wrong.Param != "where" ||
				len(err.Error()) > 400 {
				t.Errorf("%.60q: %v, want that %s", text, err, want.spelled)
			}
			continue
		}
		if err != nil || !slices.Equal(c.Values, want.values) || c.String() != want.spelled {
			t.Errorf("%q has the values %q and is spelled %s, %v; want %q, %s", text, c.Values, c, err, want.values, want.spelled)
		}
		if again, err := filters.ParseCondition(c.String()); err != nil || !again.Equal(c) || !reflect.DeepEqual(again, c) {
			t.Errorf("%s is read as %+v, %v", c, again, err)
		}
	}
}

// numbers are different values, in the order of their bytes.
func numbers(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(100+i))
	}
	return strings.Join(all, ",")
}

// long is n more values of 255 bytes.
func long(n int) (text string) {
	for i := range n {
		text += "," + strings.Repeat(fmt.Sprint(i), 255)
	}
	return text
}

func TestAnyOfSeveralValuesPasses(t *testing.T) {
	for _, c := range []struct {
		filter       string
		passes, fail []string
	}{
		{"country=DE,AT", []string{"DE", "AT"}, []string{"CH", "", "DE,AT", "D"}},
		{"country!=DE,AT", []string{"CH", "", "DE,AT"}, []string{"DE", "AT"}},
		{`referrer="",a.example`, []string{"", "a.example"}, []string{"b.example"}},
		{`referrer!="",a.example`, []string{"b.example"}, []string{"", "a.example"}},
		{"page^=/a/,/b/", []string{"/a/x", "/b/"}, []string{"/c/a/", ""}},
		{"referrer~=goo,bing", []string{"google.com", "www.bing.com"}, []string{"", "gobin"}},
	} {
		of, err := filters.ParseCondition(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range append(c.passes, c.fail...) {
			if want := slices.Contains(c.passes, value); of.Matches(value) != want {
				t.Errorf("%q passes %s: %v, want %v", value, of, !want, want)
			}
		}
	}
}

// All filters must hold, so two of the same dimension that no value passes are refused. Those of a credential are not the user's mistake:
// nothing is there beyond them.
func TestFiltersThatExcludeEachOtherAreRefused(t *testing.T) {
	for _, c := range []struct {
		locked, where []string
		says          string
	}{
		{nil, []string{"country=DE", "country=AT"}, "write one filter with a comma"},
		{nil, []string{"country=DE,FR", "browser=X", "country=AT,CH"}, "write one filter with a comma"},
		{nil, []string{"country=AT,DE", "country=DE,AT"}, "given twice"},
		{nil, []string{"country=DE,AT", "country=AT,CH"}, ""},
		{nil, []string{"country=DE", "country!=AT", "country^=D"}, ""},
		{nil, []string{"goal=a", "goal=b"}, ""},
		{[]string{"country=AT,DE"}, []string{"country=CH"}, ""},
		{[]string{"country=AT,DE"}, []string{"country=AT"}, ""},
	} {
		var p filters.Params
		var own []filters.Condition
		for texts, into := range map[*[]string]*[]filters.Condition{&c.locked: &p.Locked, &c.where: &own} {
			var err error
			if *into, err = filters.ParseConditions(*texts); err != nil {
				t.Fatal(err)
			}
		}
		p.Where = slices.Concat(p.Locked, own)
		if err := p.Check(); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q under %q: %v, want %q", c.where, c.locked, err, c.says)
		}
	}
}

// What a credential has is never more than what it was made for: a value is one, also with commas and quotation marks.
func TestStoredFiltersAreReadAsTheyWereWritten(t *testing.T) {
	old := []string{"utm_campaign=a,b", `event="x","y"`, "city!=Washington, D.C.", "page^=/a,", "country=DE", "page==x"}
	given := [][]string{{"country=", "DE", "AT"}, {"property:tenant!=", "Acme, Inc", `"`}}
	for i, text := range old {
		given = slices.Insert(given, i, []string{text})
	}
	all, err := filters.FromStored(given)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`utm_campaign="a,b"`, `event="""x"",""y"""`, `city!="Washington, D.C."`, `page^="/a,"`, "country=DE", "page==x",
		"country=AT,DE", `property:tenant!="""","Acme, Inc"`}
	for i, c := range all {
		if c.String() != want[i] || i < len(old) && len(c.Values) != 1 {
			t.Errorf("%d is %s, want %s", i, c, want[i])
		}
	}
	given[len(old)] = []string{"country=", "AT", "DE"}
	given[len(old)+1] = []string{"property:tenant!=", `"`, "Acme, Inc"}
	if stored := filters.ToStored[[]string](all); !reflect.DeepEqual(stored, given) {
		t.Errorf("%q are stored, want %q", stored, given)
	}
	for _, list := range [][]string{nil, {""}, {"country"}, {"country=DE", "AT"}, {"land=", "DE"}, {"country<=", "DE", "AT"},
		append([]string{"country="}, strings.Split(numbers(51), ",")...)} {
		if _, err := filters.FromStored([][]string{list}); err == nil {
			t.Errorf("%q is read", list)
		}
	}
}

// FuzzConditions: what is read is spelled such that it is read again.
func FuzzConditions(f *testing.F) {
	for _, text := range []string{`country=DE,"a,b"`, `referrer!="",x`, `page^=""",`, "event= a ,b", `city="a"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := filters.ParseCondition(text)
		if err != nil {
			return
		}
		if again, err := filters.ParseCondition(c.String()); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%q is %+v, spelled %q and read as %+v, %v", text, c, c.String(), again, err)
		}
		kept := filters.ToStored[[]string]([]filters.Condition{c})
		if stored, err := filters.FromStored(kept); err != nil || !reflect.DeepEqual(stored, []filters.Condition{c}) {
			t.Errorf("%q is stored as %q and read as %+v, %v", text, kept, stored, err)
		}
	})
}
