package entered

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks"
)

const (
	maxSiteBytes = 128 // as of an event's siteId
	maxIDBytes   = 64
)

// CheckID reports whether one of a kind, such as a funnel, can have the id.
func CheckID(kind, id string) error {
	odd := func(r rune) bool { return r > unicode.MaxASCII || !letterOrDigit(r) && !strings.ContainsRune("._-", r) }
	switch {
	case id == "":
		return fmt.Errorf("the %s's id is empty: name it, as in checkout", kind)
	case len(id) > maxIDBytes:
		return fmt.Errorf("%s %.32q... has %d bytes: shorten its id to %d", kind, id, len(id), maxIDBytes)
	case strings.ContainsFunc(id, odd) || !letterOrDigit(rune(id[0])):
		return fmt.Errorf("%s %q: an id has letters, digits, dots, dashes and underscores, and begins with a letter or digit: "+
			"name it as in checkout-2", kind, id)
	}
	return nil
}

func letterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// CheckSite refuses what no event has as its siteId.
func CheckSite(site string) error {
	switch {
	case site == "":
		return errors.New("the site's id is empty: name the siteId of its events")
	case len(site) > maxSiteBytes || !utf8.ValidString(site):
		return fmt.Errorf("site %.32q is not 1 to %d bytes of valid UTF-8, as every siteId is: name the site as its events do", site,
			maxSiteBytes)
	}
	return nil
}

// CheckKnown returns an error for a site that has no counted events and was not created: its id may be misspelled.
func CheckKnown(ctx context.Context, t sinks.Table, site string) error {
	if err := CheckSite(site); err != nil {
		return err
	}
	found, err := sinks.Get(ctx, t, sinks.Keys{}.SiteEntry(site), sinks.Keys{}.Metadata(site))
	if err != nil {
		return fmt.Errorf("site %q: look it up: %w", site, err)
	}
	if len(found) == 0 {
		return fmt.Errorf("site %q is not known: it has no counted events and was not created: check the id, or use `footfall site create`", site)
	}
	return nil
}
