package localtable

import (
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// maxPageBytes bounds a page of Query, by the items' sizes; a page has one item at least.
const maxPageBytes = 1 << 20

// Page fills a page of an answer to Query.
type Page struct {
	Query sinks.Query
	page  sinks.Page
	bytes int
}

// Add adds the next item that the query finds. It reports whether the item fits; if not, the page ends before it.
func (p *Page) Add(it sinks.Item) bool {
	size := it.Size()
	if n := len(p.page.Items); n > 0 && (n == p.Query.Limit || p.bytes+size > maxPageBytes) {
		p.page.Next = cursorAt(p.Query.Index, p.page.Items[n-1]).text(p.Query)
		return false
	}
	p.page.Items = append(p.page.Items, it)
	p.bytes += size
	return true
}

// Answer returns the page.
func (p *Page) Answer() sinks.Page {
	p.page.Units = consumed.ReadUnits(p.bytes, p.Query.Consistent)
	return p.page
}

// IndexEntry returns what GSI1 holds of an item, given the item's key and that in the index.
func IndexEntry(k, in sinks.Key) sinks.Item {
	return sinks.Item{sinks.AttrGSI1PK: sinks.Str(in.PK), sinks.AttrGSI1SK: sinks.Str(in.SK),
		sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK)}
}
