package pipeline

import (
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/duplicates"
	"github.com/footfall/footfall/pipeline/internal/loading"
	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/pipeline/internal/requests"
)

// intake takes a partition's records into the steps of its lanes.
type intake struct {
	*owned
	chunk     *decoding.Chunk   // the present one; nil: none
	decoded   []decoding.Record // of chunk, and not received yet
	seen      *duplicates.Window
	saidShort time.Time            // when the log last said that memory shortens its window
	classes   *classify.Classifier // of the lanes
	sites     aggregate.Sites      // that the lanes have in memory
	refused   []*aggregate.Site    // of them, those with a rejected record
	load      *loading.Loader      // what the present portion wants of the table
	reads     requests.Pulse       // of its loads, which hold up all lanes
	queries   outgoing.QueryCutter
	raw       *outgoing.RawWriter
	packing   pack.Event // room for the one that is being packed
	failed    *outgoing.FailedWriter
	totals    checkpoint.Totals // as of stats.Pos
	count     counts            // of the present chunk
	brings    []siteHour        // hours that the next portion brings
	wary      int               // for how many portions sessions count as hours
	expected  int64             // the next offset to fold
	at        int64             // the offset that is being folded, for an error
	arrived   time.Time         // when the first record of the present batch was first seen in the log
}

// counts are a chunk's additions to the metrics that most records add to: they are added once a chunk.
type counts struct{ records, counted, duplicate, redone, sessionless, keyless int64 }

// keptQuery returns what the accumulating step of the stats lane keeps of a site's urls.
func (in *intake) keptQuery(site *sites.Rules) *urlquery.Kept {
	settings := &in.stats.Settings
	return in.queries.Kept(settings, site)
}
