package count

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// authority finds in an absolute url what is between the scheme and the path.
var authority = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://([^/?#\\]*)`)

// IsForeign reports whether an event's url is of none of the domains that the site had under these rules.
func IsForeign(e *event.Event, by Ruling) bool {
	if by.Rules == nil || len(by.Rules.Domains) == 0 {
		return false
	}
	host := hostOf(e.URL)
	return host != "" && !by.isBelow(host, by.Rules.Domains)
}

// RefersToItself reports whether an event's referrer is a page of its own site: of a domain that the site had under these rules, or of
// the siteId if that has a dot, without "www.".
func RefersToItself(e *event.Event, by Ruling) bool {
	var own []string
	if by.Rules != nil {
		own = by.Rules.Domains
	}
	if id := string(e.SiteID); strings.ContainsRune(strings.TrimPrefix(id, "www."), '.') {
		own = append([]string{strings.TrimPrefix(id, "www.")}, own...)
	}
	host := hostOf(e.Referrer)
	return host != "" && by.isBelow(host, own)
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
func (by Ruling) isBelow(host string, domains []string) bool {
	if by.Settings.Has(sinks.FormatOfClasses) {
		host = inOneForm(host)
	}
	return slices.ContainsFunc(domains, func(domain string) bool {
		domain = lowerASCII(strings.TrimSuffix(domain, "."))
		if by.Settings.Has(sinks.FormatOfClasses) {
			domain = inOneForm(domain)
		}
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}

// inOneForm is a host with punycode for each label of other letters than ASCII; a host that has no punycode as it is.
func inOneForm(host string) string {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		code, err := idna.Punycode.ToASCII(strings.Map(lower, label))
		if err != nil {
			return host
		}
		labels[i] = code
	}
	if code := strings.Join(labels, "."); len(code) <= 253 {
		return code
	}
	return host
}

// lower is a letter in lower case if it is in the first 1,328 code points, and ASCII if and only if it was.
func lower(r rune) rune {
	small := unicode.ToLower(r)
	if r < 1328 && (small < 128) == (r < 128) {
		return small
	}
	return r
}

// ClassesOf returns the classifier under the settings of a record.
func ClassesOf(c *classify.Classifier, r *Record) *classify.Classifier {
	if !r.Settings.Has(sinks.FormatOfClasses) {
		return c.By(classify.FormerRules)
	}
	return c.By(classify.PresentRules)
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
