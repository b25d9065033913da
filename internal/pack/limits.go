package pack

// What decides where a pack ends. Both are part of the format of a flush: a release that changes one has to raise the fold version,
// since a repeated flush would leave packs of the first attempt beside its own.
const (
	// MaxBytes is what the events of a pack come to before compression, unless it has only one: some 130 events. Typical events
	// shrink to a fifth, so a write's last unit is three quarters full in the mean of 6.5, and a reader who wants one event reads two
	// read units. A pack that cannot be compressed fits into an item.
	MaxBytes = 64 << 10
	// Reach is the event time, in milliseconds, that a pack spans at most, exclusive. Who reads events from an instant on begins so
	// much before it, since the key of a pack has the time of its first event only.
	Reach = 10 * 60 * 1000
)
