package purge

import (
	"context"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// Last is the last purge of a site.
type Last struct {
	Revision int64
	Done     bool
	From, To int64 // of a purge that is done: the days, ms since the epoch, that the site may have had hours of
}

// LastOf returns the last purge of each site that was purged, as of a log.
func LastOf(ctx context.Context, t sinks.Table, log *sites.Log) (map[string]Last, error) {
	all, failed := make(map[string]Last), error(nil)
	log.Sites(func(site string) {
		rev := sites.LastPurge(log.History(site))
		if rev == 0 || failed != nil {
			return
		}
		p, err := loadProgress(ctx, t, site, rev)
		all[site], failed = Last{rev, p.over(), p.FirstDay, p.DoneAt + margin*dayMs}, err
	})
	return all, failed
}
