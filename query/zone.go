package query

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/sites"
)

// ParseZone reads the name of a time zone in the IANA database, such as Europe/Berlin; "" is UTC. It uses the database that is built
// into the program, which also decides how sites are counted. An unknown name is a [ParamError].
func ParseZone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	loc, err := sites.LoadZone(name)
	if err != nil {
		return nil, &ParamError{"tz", name, "not a time zone: name one of the IANA database, as in Europe/Berlin or UTC"}
	}
	return loc, nil
}

// offHourError says why a question cannot be answered in its zone, at whose clocks hours and days begin within hours that
// are kept; at is an instant where they do.
func offHourError(c calendar, k siteClock, at int64) error {
	if k.hour(at).from == at { // The site's hours are cut there as well, but those on its two sides cannot be numbered together.
		return &ParamError{"by", string(c.by), fmt.Sprintf("the clocks of %s change by a part of an hour at %s: "+
			"ask for hours before or after that instant, or for days", c.instant(at).Location(), c.instant(at).Format(time.RFC3339))}
	}
	return &ParamError{"tz", c.loc.String(), fmt.Sprintf("a bucket would begin at %s, in the middle of an hour of %s, the site's own zone, "+
		"and hours cannot be split: leave tz out to use the site's zone",
		c.instant(at).Format(time.RFC3339), k.zone(at))}
}
