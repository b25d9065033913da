package lanes

import (
	"fmt"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
)

// A site that was purged may be created again. What a worker remembers of it is of the former site, and must not come back.

// StandingOf returns whether a site is registered, as of the rules of the lane's accumulating step.
func (l *Lane) StandingOf(s *aggregate.Site) sites.Standing {
	x := &s.Standing[l.N]
	if !x.Known || x.Of != l.Rules {
		*x = aggregate.Standing{Standing: l.Rules.Standing(s.ID), Of: l.Rules, Purged: l.Rules.Purged(s.ID), Known: true}
	}
	if s.Since == 0 {
		s.Since = x.Purged + 1
	}
	return x.Standing
}

// Renew forgets what the lanes remember of a site that was purged since it was met, and created again, as of the rules of lane as. For
// other sites it does nothing. The purge was done before the site was created again, and has waited for all flushes under earlier rules. So
// no open flush has a state of the site. A realtime lane that was held up for minutes may have one all the same: then the error ends the
// worker, and the next one begins without states.
func Renew(all []*Lane, as *Lane, s *aggregate.Site) error {
	x := &s.Standing[as.N]
	if x.Purged < s.Since || x.Standing != sites.Registered {
		return nil
	}
	for _, l := range all {
		l.Fold.Drop(l.Settled())
	}
	if !s.Empty() {
		return fmt.Errorf("site %q was purged and created again, and a flush from before is open", s.ID)
	}
	*s = aggregate.Site{ID: s.ID, Refused: s.Refused, Standing: s.Standing, Since: x.Purged + 1}
	return nil
}
