package verify

import (
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
)

// What callers of Run need of the packages below.
type (
	Options  = scope.Options
	Report   = finding.Report
	Progress = finding.Progress
	Waiting  = finding.Waiting
	Cost     = finding.Cost
)
