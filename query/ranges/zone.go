package ranges

import (
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
