package count

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

func Floor(t, size int64) int64 { return t - t%size } // Event times are not negative.

const DaySeconds = DayMs / 1000
