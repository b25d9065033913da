package pipeline

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/internal/budget"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/pipeline/internal/rulebook"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/telemetry"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// shared is what all workers of a pipeline have in common.
type shared struct {
	options       Options       // with their defaults
	streams       chan struct{} // holds one for each batch that is being streamed
	topic         string
	number        int64 // of the topic in this table
	owner         string
	keys          sinks.Keys
	sessionShards int
	rules         *rulebook.Book
	hash          sketch.Hasher
	memory        *budget.Budget
	chunks        decoding.Pool
	send          *requests.Sender
	events        *outgoing.FailedEvents
	client        *kgo.Client
	schemas       *schemas.Book
	registry      *requests.Outage
	metrics       *telemetry.Metrics
	log           *slog.Logger
	now           func() time.Time // of what has expired, and of the last record time that a step believes
	records       atomic.Int64     // folded
	keyless       atomic.Int64     // of them, without a Kafka key
	rejections    outgoing.Rejections
}

// pause has the client fetch nothing of a partition.
func (s *shared) pause(partition int32) {
	s.client.PauseFetchPartitions(map[string][]int32{s.topic: {partition}})
}

// resume has the client fetch a partition.
func (s *shared) resume(partition int32) {
	s.client.ResumeFetchPartitions(map[string][]int32{s.topic: {partition}})
}

// fetching is the client as inboxes see it.
type fetching struct{ *shared }

func (f fetching) Pause(partition int32) { f.pause(partition) }

func (f fetching) Resume(partition int32) { f.resume(partition) }
