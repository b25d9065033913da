package serve

import (
	"log/slog"
	"net/url"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// A server answers requests. Safe for concurrent use.
type server struct {
	reader  *query.Reader
	table   sinks.Table
	now     func() time.Time
	log     *slog.Logger
	keeper  *access.Keeper
	limiter *access.Limiter
	public  *url.URL
	metrics *reads.Metrics
	limits  reads.Limits

	sharing  reads.Sharing
	realtime *reads.Hub[query.RealtimeAnswer]
	current  reads.Recent[query.RealtimeAnswer] // by site, as asked by default
}
