package show

import "github.com/footfall/footfall/query"

// filteredChangeCells are the changes of filteredCells.
func filteredChangeCells(c query.FilteredChanges) []changeCell {
	return append(changesOf(&c, filteredFigures), noChange, noChange)
}

// annotatedFiltered shows figures, and how far they are from others if change is given.
func annotatedFiltered(f query.FilteredFigures, change *query.FilteredChanges) []cell {
	if change == nil {
		return filteredCells(f)
	}
	return beside(filteredCells(f), filteredChangeCells(*change))
}

// comparison is a line for each figure: the totals of both ranges.
func (a filteredStatsView) comparison() sheet {
	return comparisonSheet(filteredColumns[:len(filteredColumns)-2], filteredCells(*a.Totals), filteredCells(*a.Previous.Totals),
		filteredChangeCells(*a.Previous.Change))
}

// changes is for programs, as that of statsView.
func (a filteredStatsView) changes() sheet {
	s := changesSheet()
	add := func(of string, now, before query.FilteredBucket, change query.FilteredChanges) {
		s.addChanges(filteredColumns, of, comparedSpans{now.Start, now.End, before.Start, before.End}, filteredCells(now.FilteredFigures),
			filteredCells(before.FilteredFigures), filteredChangeCells(change), boolCell(now.Partial || before.Partial), boolCell(now.InProgress),
			boolCell(false))
	}
	if a.Totals != nil && a.Previous.Totals != nil {
		add("range", query.FilteredBucket{Start: a.From, End: a.To, InProgress: a.InProgress, FilteredFigures: *a.Totals},
			query.FilteredBucket{Start: a.Previous.From, End: a.Previous.To, FilteredFigures: *a.Previous.Totals}, *a.Previous.Change)
	}
	for _, b := range a.Buckets {
		if b.Change != nil {
			add("bucket", b, *b.Previous, *b.Change)
		}
	}
	return s
}

// comparedNotes say what must be known about the comparison.
func (a filteredStatsView) comparedNotes() (notes []string) {
	if a.Previous == nil {
		return nil
	}
	if a.Previous.DataFrom != nil {
		notes = append(notes, dataFromNote(*a.Previous.DataFrom))
	}
	if a.InProgress {
		notes = append(notes, soFarNote+previousEnds(a.Previous.ToDate))
	}
	if !a.Previous.ByBucket {
		notes = append(notes, unpairedNote)
	}
	return notes
}
