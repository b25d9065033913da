package query

import "time"

// ParseZone reads the name of a time zone in the IANA database, such as Europe/Berlin; "" is UTC. The program must
// find the database: import time/tzdata to have it embedded.
func ParseZone(name string) (*time.Location, error) {
	loc, err := time.LoadLocation(name)
	if err != nil || loc == time.Local {
		return nil, &ParamError{"tz", name, "is no time zone: name one of the IANA database, as in Europe/Berlin or UTC"}
	}
	return loc, nil
}
