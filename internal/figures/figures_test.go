package figures_test

import (
	"testing"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/sinks/int128"
)

func TestEachSumHasItsOwnAttribute(t *testing.T) {
	seen := make(map[string]figures.Sum)
	for s := range figures.AllSums {
		if other, twice := seen[s.Attr()]; twice {
			t.Errorf("sums %d and %d have the attribute %q, want one each", other, s, s.Attr())
		}
		if s.Attr() == "" || s.About() == "" {
			t.Errorf("sum %d: attribute %q, about %q, want both", s, s.Attr(), s.About())
		}
		seen[s.Attr()] = s
	}
}

func TestSumsAddUp(t *testing.T) {
	var a, b, both figures.Sums
	for s := range figures.AllSums {
		a.Add(s, int128.From(int64(s)+1))
		b.Add(s, int128.From(100))
		both.Add(s, int128.From(int64(s)+101))
	}
	a.Plus(&b)
	for s := range figures.AllSums {
		if a.Total(s) != both.Total(s) {
			t.Errorf("%s = %v, want %v", s.Attr(), a.Total(s), both.Total(s))
		}
	}
	if a != both {
		t.Errorf("sums %+v, want %+v", a, both)
	}
}

func TestFiguresFollowFromDeclaredSums(t *testing.T) {
	names := make(map[string]bool)
	for _, f := range figures.Answers {
		if names[f.Name] {
			t.Errorf("figure %q is declared twice", f.Name)
		}
		names[f.Name] = true
		if decimal := f.Unit == figures.DecimalText; f.Kind == figures.Total && f.Sum.Decimal() != decimal {
			t.Errorf("figure %q is a decimal: %t, its sum %q: %t", f.Name, decimal, f.Sum.Attr(), f.Sum.Decimal())
		}
		if f.Kind != figures.Own && f.Kind != figures.Total && (f.Sum.Decimal() || f.By.Decimal()) {
			t.Errorf("figure %q divides %q by %q, want counts", f.Name, f.Sum.Attr(), f.By.Attr())
		}
	}
	for _, f := range figures.Answers {
		if f.With != "" && !names[f.With] {
			t.Errorf("figure %q is shown with %q, which is none", f.Name, f.With)
		}
		if f.Unit == figures.Estimate && !names[f.Name+"Error"] {
			t.Errorf("figure %q is an estimate without an error", f.Name)
		}
	}
}
