package simulation_test

import "github.com/footfall/footfall/internal/testpipeline"

// Short names of what many files of the simulation use.
type (
	happening = testpipeline.Happening
	mix       = testpipeline.Mix
	record    = testpipeline.Record
	world     = testpipeline.World
)

var (
	attr        = testpipeline.Attr
	bubbleStart = testpipeline.BubbleStart
	damages     = testpipeline.Damages
	errKilled   = testpipeline.ErrKilled
	kindOf      = testpipeline.KindOf
	listed      = testpipeline.Listed
	mustJSON    = testpipeline.MustJSON
)
