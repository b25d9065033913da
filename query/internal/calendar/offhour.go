package calendar

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/query/ranges"
)

// OffHourError says why a question cannot be answered in its zone, at whose clocks hours and days begin within hours that
// are kept; at is an instant where they do.
func OffHourError(c Calendar, k Clock, at int64) error {
	if k.Hour(at).From == at { // The site's hours are cut there as well, but those on its two sides cannot be numbered together.
		return &ranges.ParamError{Param: "by", Value: string(c.By), Remedy: fmt.Sprintf("the clocks of %s change by a part of an hour at %s: "+
			"ask for hours before or after that instant, or for days", c.Instant(at).Location(), c.Instant(at).Format(time.RFC3339))}
	}
	return &ranges.ParamError{Param: "tz", Value: c.Loc.String(),
		Remedy: fmt.Sprintf("a bucket would begin at %s, in the middle of an hour of %s, the site's own zone, "+
			"and hours cannot be split: leave tz out to use the site's zone",
			c.Instant(at).Format(time.RFC3339), k.Zone(at))}
}
