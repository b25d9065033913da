package classify

import (
	"bytes"
	"slices"
)

// HasAgent reports whether a user agent contains one of the parts, which are in lower case; its own case does not matter.
func HasAgent(userAgent []byte, parts []string) bool {
	if len(parts) == 0 || len(userAgent) == 0 {
		return false
	}
	lower := bytes.ToLower(userAgent)
	return slices.ContainsFunc(parts, func(part string) bool { return bytes.Contains(lower, []byte(part)) })
}

// HasReferrer reports whether the referrer's host, or a domain above it, is one of the hosts, which are in lower case, and not
// that of the url, as Spam does with the hosts that ship.
func (c *Classifier) HasReferrer(url, referrer []byte, hosts []string) bool {
	if len(hosts) == 0 {
		return false
	}
	scheme, name := splitHost(referrer)
	from := c.host(name)
	if !isReferring(scheme) {
		return false
	}
	for domain := range domains(from.name) {
		if slices.Contains(hosts, domain) {
			_, own := splitHost(url)
			return from.bare != c.host(own).bare
		}
	}
	return false
}
