package count

import "github.com/footfall/footfall/sinks"

// Converted names a conversion of a site: the goal's number and the session.
type Converted struct {
	Goal    uint64
	Session string
}

// Conversion is what the log says of a session that reached a goal: the event that reached it, and the goal as it was.
type Conversion struct {
	Goal             string
	At               int64
	Visitor, User    string
	Type, Name, Page string
	Value            sinks.Value // none: it has none
	Position, Offset int64
}
