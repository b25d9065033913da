package query

import "github.com/footfall/footfall/query/figures"

// What package figures declares is part of this package, too.
type (
	// Figures are the figures of a bucket or a range.
	Figures = figures.Figures
	// Changes are the changes between two [Figures], each under the name of its figure.
	Changes = figures.Changes
	// Change is how a figure differs from an earlier one.
	Change[N any] = figures.Change[N]
	// FilteredFigures are the figures of what passes filters.
	FilteredFigures = figures.FilteredFigures
	// FilteredChanges are the changes between two [FilteredFigures], each under the name of its figure.
	FilteredChanges = figures.FilteredChanges
)
