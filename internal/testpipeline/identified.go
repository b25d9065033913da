package testpipeline

import (
	"context"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

// Identified is a table with an id. Under another id the same items are those of a copy.
type Identified struct {
	sinks.Table
	ID string
}

// Identity implements [tableid.Identified].
func (i Identified) Identity(context.Context) (tableid.Identity, error) {
	return tableid.Identity{ID: i.ID}, nil
}
