package verify_test

import (
	"github.com/footfall/footfall/internal/sites"
)

// countNew has a site's new visitors counted.
func (w *world) countNew(id string) {
	w.t.Helper()
	decision := sites.Decision{Table: w.table, Site: id, Now: w.start}
	if _, err := decision.Update(w.t.Context(), sites.Changes{NewVisitors: new(true)}); err != nil {
		w.t.Fatal(err)
	}
}
