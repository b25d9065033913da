package alerts

import (
	"errors"
	"testing"
)

// A condition is spelled as it is read; the short spelling means the same.
func TestConditionsAreReadAsTheyAreSpelled(t *testing.T) {
	for _, c := range []struct{ when, want string }{
		{"pageViews < 50 % of the same hour of the last four weeks", "pageViews < 50 % of usual"},
		{"pageViews<50%", "pageViews < 50 % of usual"},
		{"pageViews < 75 % of usual", "pageViews drops"},
		{"sessions > 250 percent of its usual and at least 30 for 3 hours", "sessions > 250 % of usual and at least 30 for 3 hours"},
		{"events < 1 for 6 hours", "events < 1 for 6 hours"},
		{"events > 1000 for 1 hour", "events > 1000"},
		{"Silence", "events stops"},
		{"goal signup STOPS", "goal signup stops"},
		{`goal "sign up" < 20 % of the usual`, `goal "sign up" < 20 % of usual`},
		{"goal drops drops", "goal drops drops"},
		{"a source surges", "referrer surges"},
		{"any utm_source > 500 % of usual, > 20", "utm_source > 500 % of usual and at least 20"},
		{"uniqueVisitors spikes", "uniqueVisitors spikes"}, {"goal \"a\tb\" stops", "goal \"a\tb\" stops"},
	} {
		r, err := Parse(c.when)
		if err != nil || r.String() != c.want {
			t.Errorf("%q is %q, %v; want %q", c.when, r, err, c.want)
			continue
		}
		if again, err := Parse(r.String()); err != nil || again != r {
			t.Errorf("%q is %+v, spelled %q: %+v, %v", c.when, r, r, again, err)
		}
	}
}

// An error names the place, the word and what to write.
func TestWrongConditionsSayWhereAndWhat(t *testing.T) {
	for _, c := range []struct {
		when string
		at   int
		word string
	}{
		{"", 1, ""}, {"goal", 5, ""}, {"pageviews drops", 1, "pageviews"}, {"bounceRate > 50 % of usual", 1, "bounceRate"},
		{"page surges", 1, "page"},
		{"pageViews falls", 11, "falls"}, {"pageViews < -5", 13, "-5"}, {"pageViews < 50 % of last month", 21, "last"},
		{"pageViews < 50 % of the same hour of the last year", 47, "year"}, {"pageViews < 150 %", 13, "150"},
		{"pageViews > 80 % of usual", 13, "80"}, {"pageViews < 0", 13, "0"}, {"referrer drops", 10, "drops"}, {"referrer < 5", 10, "<"},
		{"referrer > 50", 14, ""}, {"pageViews < 5 for 25 hours", 19, "25"}, {"pageViews < 5 for 3 days", 21, "days"},
		{"pageViews < 5 and at least 3", 28, "3"}, {"pageViews drops a lot", 17, "a"}, {"é drops", 1, "é"},
		{"pageViews < 9999999999999999999999", 13,
			"9999999999999999999999"}, {`"pageViews drops"`, 1, "pageViews drops"}, {"silence for ever", 9, "for"},
	} {
		_, err := Parse(c.when)
		e, ok := errors.AsType[*SyntaxError](err)
		if !ok || e.At != c.at || e.Word != c.word || e.Remedy == "" {
			t.Errorf("%q: %v; want character %d, %q", c.when, err, c.at, c.word)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("pageViews < 50 % of usual and at least 3 for 2 hours")
	f.Add(`goal "a b" stops`)
	f.Fuzz(func(t *testing.T, when string) {
		r, err := Parse(when)
		if err != nil {
			return
		}
		if again, err := Parse(r.String()); err != nil || again != r {
			t.Errorf("%q is %+v, spelled %q: %+v, %v", when, r, r, again, err)
		}
	})
}
