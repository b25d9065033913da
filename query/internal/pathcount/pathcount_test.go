package pathcount

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/footfall/footfall/query/paths"
	"github.com/footfall/footfall/query/ranges"
)

// The rows of a step add up to the sessions that took the step before, however few of them are shown; and so do pairs.
func TestRowsOfAStepAddUp(t *testing.T) {
	for _, p := range []paths.Params{{FromPage: "/", Steps: 4, Rows: 2, Through: []string{"/9"}}, {ToPage: "/", Steps: 5, Rows: 1},
		{Rows: 3}} {
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		c := newCounter(p, maxValues)
		for i := range 1000 {
			var pages []string
			for n := range 2 + i%7 {
				pages = append(pages, fmt.Sprint("/", (i*i+n*i)%11))
			}
			if p.FromPage != "" {
				pages = pages[:min(len(pages), i%7)]
			}
			c.add(pages)
		}
		sums := make(map[int]int64)
		for _, r := range c.rows() {
			sums[r.Step] += r.Sessions
			if r.Share == nil || *r.Share <= 0 || *r.Share > 1 {
				t.Errorf("%+v: a share of %v", r, r.Share)
			}
		}
		for i, s := range c.steps {
			if step := c.rows()[0].Step + i; s.sessions == 0 || sums[step] != s.sessions {
				t.Errorf("%+v, step %d: %d sessions in rows, want %d", p, step, sums[step], s.sessions)
			}
		}
		if i := slices.IndexFunc(c.rows(), func(r paths.Row) bool { return r.Page == "/9" && r.Step == 1 }); p.FromPage != "" && i < 0 {
			t.Error("the page that is gone through has no row")
		}
	}
}

// More pages than fit in memory are refused.
func TestPagesOfPathsAreBounded(t *testing.T) {
	c := newCounter(paths.Params{FromPage: "/", Steps: 2, Rows: 1}, 3)
	c.add([]string{"/a", "/b"})
	c.add([]string{"/c"})
	if err := c.bound(); err != nil {
		t.Errorf("three pages: %v", err)
	}
	c.add([]string{"/a", "/c"})
	if wrong, ok := errors.AsType[*ranges.ParamError](c.bound()); !ok || wrong.Param != "from" {
		t.Errorf("four pages: %v", c.bound())
	}
}
