package analyze

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"time"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/serve"
)

// writeHTML writes the page of the first site of the answer to the file that --html names.
func (x *analysis) writeHTML(ctx context.Context, answer *Answer) error {
	site := answer.Sites[0].SiteID
	zone := x.flags.loc
	if zone == nil {
		zone = time.UTC
	}
	day := func(t time.Time) string { return t.In(zone).Format(time.DateOnly) }
	q := url.Values{"from": {day(answer.FirstEvent)}, "to": {day(answer.LastEvent.In(zone).AddDate(0, 0, 1))}}
	if x.flags.loc != nil {
		q.Set("tz", zone.String())
	}
	if x.flags.by != "" {
		q.Set("by", x.flags.by)
	}
	handler := serve.New(serve.Options{Table: x.table, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	asked := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/sites/"+url.PathEscape(site)+"?"+q.Encode(), nil)
	got := httptest.NewRecorder()
	if handler.ServeHTTP(got, asked); got.Code != http.StatusOK {
		return fmt.Errorf("--html: the page of site %s: %s", site, got.Body)
	}
	if err := os.WriteFile(x.flags.html, page.Standalone(got.Body.Bytes()), 0o644); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}
