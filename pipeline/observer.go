package pipeline

import (
	"time"

	"github.com/footfall/footfall/pipeline/internal/requests"
)

// observer shows what becomes of the partitions of a pipeline, and ends a process that waits in vain.
type observer struct {
	*shared
	of *Pipeline
}

// age is how many seconds ago an instant was; 0 for none.
func age(now time.Time, instant int64) float64 {
	if instant == 0 {
		return 0
	}
	return max(0, requests.Since(now, instant).Seconds())
}
