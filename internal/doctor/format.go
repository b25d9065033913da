package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/internal/upgrade"
	"github.com/footfall/footfall/sinks"
)

// checkFormat checks whether this release may use the table, and how far its upgrade has come.
func (e *exam) checkFormat(ctx context.Context) {
	const check = "table.format"
	s, err := upgrade.Look(ctx, e.Table)
	_, later := errors.AsType[*sinks.FormatError](err)
	_, damaged := errors.AsType[*sinks.SettingsError](err)
	switch {
	case errors.Is(err, upgrade.ErrUnused):
		e.ok(check, "no pipeline has used the table yet")
	case later, damaged:
		e.fail(check, err.Error(), "this footfall refuses the table")
	case err != nil:
		e.unchecked(ctx, check, err)
	case s.Finalized:
		e.ok(check, "the table has format %d, the latest that this footfall knows", s.Format)
	case s.Format == s.LatestFormat:
		e.warn(check, "footfall upgrade finalize was cut short", "some lanes may continue in the earlier format", "footfall upgrade finalize")
	default:
		e.ok(check, "the table has format %d: release %s may return until footfall upgrade finalize%s", s.Format, s.Release, owners(s))
	}
}

// owners says how many lanes members of an earlier release own.
func owners(s upgrade.State) string {
	if len(s.Earlier) == 0 {
		return ""
	}
	return fmt.Sprintf("; its members own %d of %d lanes", len(s.Earlier), s.Lanes)
}
