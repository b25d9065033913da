package erase

import (
	"cmp"
	"context"
	"slices"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// Listed is an erasure as `footfall erase list` shows it. Only the hash identifies the person: ids are not kept.
type Listed struct {
	Report
	Hash sites.PersonHash `json:"hash"`
}

// List returns all erasures of a site, or with site "" of the table, the first one first.
func List(ctx context.Context, t sinks.Table, site string) ([]Listed, error) {
	table := patience.Table(t)
	log, err := sites.ReadLog(ctx, table, sinks.Keys{}, nil)
	if err != nil {
		return nil, err
	}
	all := []Listed{}
	var failed error
	log.Sites(func(id string) {
		for _, c := range log.History(id) {
			if c.Erase == nil || site != "" && site != id || failed != nil {
				continue
			}
			p, err := loadProgress(ctx, table, c)
			failed = err
			l := Listed{Report: Report{Site: id, Person: c.Erase.Person}, Hash: c.Erase.Hash}
			l.take(p, Grace)
			all = append(all, l)
		}
	})
	slices.SortFunc(all, func(a, b Listed) int { return cmp.Compare(a.Revision, b.Revision) })
	return all, failed
}
