package verify

import (
	"regexp"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
)

// authority finds in an absolute url what is between the scheme and the path.
var authority = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://([^/?#\\]*)`)

// foreign reports whether an event's url is of none of the domains that the site had under these rules.
func foreign(e *event.Event, ruled *sites.Rules) bool {
	found := authority.FindSubmatch(e.URL)
	if ruled == nil || len(ruled.Domains) == 0 || found == nil {
		return false
	}
	host := string(found[1])
	host = host[strings.LastIndexByte(host, '@')+1:]
	if end := strings.IndexByte(host, ']'); strings.HasPrefix(host, "[") && end >= 0 {
		host = host[:end+1]
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	host = lowerASCII(strings.TrimSuffix(host, "."))
	for _, domain := range ruled.Domains {
		domain = lowerASCII(strings.TrimSuffix(domain, "."))
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return false
		}
	}
	return host != ""
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
