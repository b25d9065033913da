package sites

import (
	"errors"
	"maps"
	"slices"

	"github.com/footfall/footfall/sketch"
)

// MaxRows is how many rows of their own the dimensions of a site may have together. An hour of a site and a partition is one item,
// whose breakdowns take 350 KB before compression. The row of a page of 40 bytes with one visitor takes some 60 of them, so 5,000 such
// rows take 300 KB and leave room for the other dimensions.
const MaxRows = 5000

// BreakdownRows returns the rows of the dimensions that have another number than the pipeline's settings say, in the order of the
// dimensions. They hold for each event that is counted under the rules, also in an hour that has begun.
func (s *Rules) BreakdownRows() []sketch.DimensionRows {
	if s == nil {
		return nil
	}
	return s.rows
}

func isDimension(name string) bool {
	_, err := sketch.ParseDimension(name)
	return err == nil
}

// checkRows checks numbers of rows by the names of dimensions.
func checkRows(f *faults, rows map[string]int) {
	total := 0
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		n := rows[name]
		if _, err := sketch.ParseDimension(name); err != nil {
			f.add("rows of %w", err)
		}
		if n < 1 || n > MaxRows {
			f.add("rows %s=%d: choose 1 to %d, because an hour's breakdowns are one item of at most 350 KB", name, n, MaxRows)
		}
		total += n
	}
	if total > MaxRows && len(rows) > 1 {
		f.add("rows of %d dimensions: %d together: choose %d at most, because an hour's breakdowns are one item of at most 350 KB",
			len(rows), total, MaxRows)
	}
}

// checkRows checks the numbers of rows together: after a change, they may be too many although those that it names are not.
func (s *Rules) checkRows() error {
	var f faults
	checkRows(&f, s.Rows)
	return errors.Join(f...)
}

// describeRows changes the numbers of rows that are named.
func (c Changes) describeRows(s *Rules) {
	for name, n := range c.Rows {
		if n == 0 {
			delete(s.Rows, name)
			continue
		}
		if s.Rows == nil {
			s.Rows = make(map[string]int)
		}
		s.Rows[name] = n
	}
	if len(s.Rows) == 0 {
		s.Rows = nil
	}
}

// ViewOf returns a view in which one site has rules, for estimates without a table.
func ViewOf(site string, s *Rules) (View, error) {
	if err := s.ready(); err != nil {
		return View{}, err
	}
	return (*Log)(nil).with([]Revision{{Rev: 1, Site: site, Rules: s, Always: true}}).At(1), nil
}

// CheckRows names every fault of numbers of rows, by the names of dimensions.
func CheckRows(rows map[string]int) error { return (&Rules{Rows: rows}).checkRows() }
