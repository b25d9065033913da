package count

// OneIf is 1 if b holds, else 0.
func OneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Buckets, in milliseconds.
const (
	MinuteMs = 60_000
	HourMs   = 60 * MinuteMs
	DayMs    = 24 * HourMs
)

// Floor is the beginning of the bucket of a size that an instant is in, in milliseconds since the epoch. Event times are not negative.
func Floor(t, size int64) int64 { return t - t%size }

const DaySeconds = DayMs / 1000
