package classify

import "strings"

// readSpam reads Matomo's list: a host to a line.
func readSpam() map[string]bool {
	hosts := map[string]bool{}
	for line := range strings.Lines(read("spammers.txt")) {
		if line = strings.ToLower(strings.TrimSpace(line)); line != "" {
			hosts[line] = true
		}
	}
	return hosts
}

// isSpam reports whether the host or a domain above it is in the list.
func isSpam(list map[string]bool, name string) bool {
	for domain := range domains(name) {
		if list[domain] {
			return true
		}
	}
	return false
}

// Spam reports what Source(url, referrer).Spam says, for less: it looks at nothing but the referrer's host, and at the
// url's where that is known for spam.
func (c *Classifier) Spam(url, referrer []byte) bool {
	scheme, name := splitHost(referrer)
	from := c.host(name)
	if !from.spam || !isReferring(scheme) { // The host decides nearly always.
		return false
	}
	_, own := splitHost(url)
	return !c.isSite(own, from.bare)
}
