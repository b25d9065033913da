// Package passing counts what passes filters: events and sessions of a range, from its raw events, and the conversions of sessions.
package passing
