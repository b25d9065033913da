package pipeline_test

import (
	"context"

	"github.com/footfall/footfall/seal"
)

// sealsLast reports whether the last process seals. Where it does not, readers find items that do not hold any more.
func (s *simulation) sealsLast() bool { return s.seed%2 == 1 }

// sealLast has what was left unsealed, or has changed since, sealed.
func (s *simulation) sealLast() {
	if !s.sealsLast() {
		return
	}
	if err := seal.New(seal.Options{Table: s.table, After: s.sealAfter}).Pass(context.Background()); err != nil {
		s.problem("seal: %v", err)
	}
}
