package ranges

import (
	"fmt"
	"strconv"
)

// Paging asks for one page of a list.
type Paging struct {
	Limit  int    // max. rows of the page, 1 to MaxLimit; 0: DefaultLimit. Rows that share a sort key of an index are never parted
	Desc   bool   // in descending order
	Cursor string // continues after the page that returned it; "": the first page. The question must be the same
}

// Sizes of pages, in rows.
const (
	DefaultLimit = 100
	MaxLimit     = 10_000
)

// Rows checks the page's size.
func (p Paging) Rows() (int, error) {
	switch {
	case p.Limit < 0 || p.Limit > MaxLimit:
		return 0, &ParamError{"limit", strconv.Itoa(p.Limit), fmt.Sprintf("choose 1 to %d", MaxLimit)}
	case p.Limit == 0:
		return DefaultLimit, nil
	}
	return p.Limit, nil
}
