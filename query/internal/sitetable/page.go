package sitetable

import (
	"context"
	"sync"

	"github.com/footfall/footfall/sinks"
)

// onePage has what the answers of one page share about a site: they are all under the settings that the first has read. Of several sites it
// has the last.
type onePage struct {
	mu    sync.Mutex // covers the rest
	site  string
	found map[sinks.Key]sinks.Item // its entry and its metadata, as far as they are there; nil: not read
}

// settings returns the entry and the metadata of a site if an answer of the page has read them.
func (p *onePage) settings(site string) (found map[sinks.Key]sinks.Item, ok bool) {
	if p == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found, p.found != nil && p.site == site
}

func (p *onePage) keep(site string, found map[sinks.Key]sinks.Item) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.site, p.found = site, found
}

// ofPage returns the store for the answers of one page.
func (t *Store) ofPage() *Store {
	of := *t
	of.page = new(onePage)
	return &of
}

// settings reads the entry and the metadata of a site, once a page.
func (t *Store) settings(ctx context.Context, site string) (map[sinks.Key]sinks.Item, error) {
	if found, ok := t.page.settings(site); ok {
		return found, nil
	}
	found, err := t.readSettings(ctx, site)
	if err == nil {
		t.page.keep(site, found)
	}
	return found, err
}

// readSettings reads the entry and the metadata of a site.
func (t *Store) readSettings(ctx context.Context, site string) (map[sinks.Key]sinks.Item, error) {
	return t.BatchGet(ctx, []sinks.Key{t.Keys.SiteEntry(site), t.Keys.Metadata(site)}, true)
}
