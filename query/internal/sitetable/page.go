package sitetable

import (
	"context"
	"sync/atomic"

	"github.com/footfall/footfall/sinks"
)

// settings are what the answers of one page share: they are all under those of a site that the first has read.
type settings struct {
	site  string
	found map[sinks.Key]sinks.Item // its entry and its metadata, as far as they are there
}

// ofPage returns the store for the answers of one page. Of several sites it keeps the settings of the last.
func (t *Store) ofPage() *Store {
	of := *t
	of.page = new(atomic.Pointer[settings])
	return &of
}

// keptSettings returns the entry and the metadata of a site if an answer of the page has read them.
func (t *Store) keptSettings(site string) (found map[sinks.Key]sinks.Item, ok bool) {
	if t.page == nil {
		return nil, false
	}
	s := t.page.Load()
	if s == nil || s.site != site {
		return nil, false
	}
	return s.found, true
}

// settings returns the entry and the metadata of a site, which are read once a page.
func (t *Store) settings(ctx context.Context, site string) (map[sinks.Key]sinks.Item, error) {
	if found, ok := t.keptSettings(site); ok {
		return found, nil
	}
	found, err := t.readSettings(ctx, site)
	if err != nil || t.page == nil {
		return found, err
	}
	for { // Answers that run at the same time all use the settings that were kept first.
		was := t.page.Load()
		if was != nil && was.site == site {
			return was.found, nil
		}
		if t.page.CompareAndSwap(was, &settings{site, found}) {
			return found, nil
		}
	}
}

// readSettings reads the entry and the metadata of a site.
func (t *Store) readSettings(ctx context.Context, site string) (map[sinks.Key]sinks.Item, error) {
	return t.BatchGet(ctx, []sinks.Key{t.Keys.SiteEntry(site), t.Keys.Metadata(site)}, true)
}
