package count

import (
	"regexp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
)

// authority finds in an absolute url what is between the scheme and the path.
var authority = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://([^/?#\\]*)`)

// IsForeign reports whether an event's url is of none of the domains that the site had under these rules.
func IsForeign(e *event.Event, ruled *sites.Rules) bool {
	if ruled == nil || len(ruled.Domains) == 0 {
		return false
	}
	host := hostOf(e.URL)
	return host != "" && !isBelow(host, ruled.Domains)
}

// RefersToItself reports whether an event's referrer is a page of its own site: of a domain that the site had under these rules, or of
// the siteId if that has a dot, without "www.".
func RefersToItself(e *event.Event, ruled *sites.Rules) bool {
	var own []string
	if ruled != nil {
		own = ruled.Domains
	}
	if id := string(e.SiteID); strings.ContainsRune(strings.TrimPrefix(id, "www."), '.') {
		own = append([]string{strings.TrimPrefix(id, "www.")}, own...)
	}
	host := hostOf(e.Referrer)
	return host != "" && isBelow(host, own)
}

// hostOf returns the host of an absolute url in lower case; "" for any other.
func hostOf(url []byte) string {
	found := authority.FindSubmatch(url)
	if found == nil {
		return ""
	}
	host := string(found[1])
	host = host[strings.LastIndexByte(host, '@')+1:]
	if end := strings.IndexByte(host, ']'); strings.HasPrefix(host, "[") && end >= 0 {
		host = host[:end+1]
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	return lowerASCII(strings.TrimSuffix(host, "."))
}

// isBelow reports whether a host is one of the domains, or below one.
func isBelow(host string, domains []string) bool {
	return slices.ContainsFunc(domains, func(domain string) bool {
		domain = lowerASCII(strings.TrimSuffix(domain, "."))
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
