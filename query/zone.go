package query

import (
	"fmt"
	"time"
)

// ParseZone reads the name of a time zone in the IANA database, such as Europe/Berlin; "" is UTC. The program must
// find the database: import time/tzdata to have it embedded.
func ParseZone(name string) (*time.Location, error) {
	loc, err := time.LoadLocation(name)
	if err != nil || loc == time.Local {
		return nil, &ParamError{"tz", name, "is no time zone: name one of the IANA database, as in Europe/Berlin or UTC"}
	}
	return loc, nil
}

// zoneOr returns the zone that a question names, UTC where it names none.
func zoneOr(loc *time.Location) *time.Location {
	if loc == nil {
		return time.UTC
	}
	return loc
}

// offHourError says why a question cannot be answered in its zone, at whose clocks hours and days begin within hours
// of UTC; at is an instant where they do.
func offHourError(loc *time.Location, at int64) error {
	return &ParamError{"tz", loc.String(), fmt.Sprintf("is off from UTC by a part of an hour, as at %s, and what is counted is "+
		"kept by hours of UTC, which cannot be cut where those of the zone begin: leave tz out to have hours or days of UTC",
		time.UnixMilli(at).In(loc).Format(time.RFC3339))}
}
