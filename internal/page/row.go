package page

// WideRow is a value with all its figures.
type WideRow struct {
	Value, Bound  string
	Note          string // why a figure counts something else than those of the other rows; "": it does not
	Code          string // of the value, if Value is its name; "": Value is the value itself
	Filter        string // address of the site's page with the value as a filter; "": there is none
	Change, Trend string // of the figure that rows are sorted by
	Cells         []string
}

// rowCells is a row, and whether it has a change: it comes after the figure that rows are sorted by and its share.
type rowCells struct {
	WideRow
	Compared bool
}

func cellsOf(r WideRow, compared bool) rowCells { return rowCells{r, compared} }
