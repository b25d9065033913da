package sinktest

import (
	"testing"

	"github.com/footfall/footfall/sinks"
)

// Store is what the suite runs on: a table and its administration.
type Store interface {
	sinks.Table
	sinks.Admin
}

// behaviour is one subtest.
type behaviour struct {
	name  string
	check func(t *testing.T, s Store)
	bare  bool // the table is not created before
}
