package annotations

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// A site has as many annotations as it may have, and no more until one is deleted; other sites are not concerned.
func TestAnnotationsOfASiteAreBounded(t *testing.T) {
	store := Store{Table: testworld.Table(t), Now: time.Now}
	for _, site := range []string{"shop", "blog"} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), store.Table, sinks.Keys{}, site); err != nil {
			t.Fatal(err)
		}
	}
	first, err := store.Create(t.Context(), "shop", time.UnixMilli(0), "a release")
	if err != nil {
		t.Fatal(err)
	}
	for i := range MaxPerSite - 1 {
		other := first
		other.ID = fmt.Sprintf("%s%04d", first.ID[:22], i)
		if _, err := store.Table.Put(t.Context(), sinks.Put{Item: other.Item()}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = store.Create(t.Context(), "shop", time.Now(), "one more")
	if _, full := errors.AsType[*entered.FullError](err); !full || !strings.Contains(err.Error(), "1000 annotations") ||
		!strings.Contains(err.Error(), "delete some") {
		t.Errorf("one more: %v", err)
	}
	if _, err := store.Create(t.Context(), "blog", time.Now(), "a release"); err != nil {
		t.Errorf("another site: %v", err)
	}
	if err := Delete(t.Context(), store.Table, "shop", first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(t.Context(), "shop", time.Now(), "one more"); err != nil {
		t.Errorf("in the place of one that is gone: %v", err)
	}
	if n, err := DeleteAll(t.Context(), store.Table, "shop"); err != nil || n != MaxPerSite {
		t.Errorf("%d annotations, %v; want %d", n, err, MaxPerSite)
	}
}
