package classify

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// HasAgent reports whether the first [MaxUserAgentBytes] of a user agent contain one of the parts, which are in lower case. The case of
// the user agent does not matter.
func HasAgent(userAgent []byte, parts []string) bool {
	if len(parts) == 0 || len(userAgent) == 0 {
		return false
	}
	userAgent = cut(userAgent, MaxUserAgentBytes)
	var room [512]byte
	lower := appendLower(room[:0], userAgent)
	return slices.ContainsFunc(parts, func(part string) bool { return bytes.Contains(lower, []byte(part)) })
}

// appendLower appends the text in lower case, as bytes.ToLower has it. ASCII, as user agents are, needs no room of its own.
func appendLower(dst, text []byte) []byte {
	start := len(dst)
	dst = append(dst, text...)
	for i, c := range text {
		switch {
		case c >= utf8.RuneSelf:
			return append(dst[:start], bytes.ToLower(text)...)
		case 'A' <= c && c <= 'Z':
			dst[start+i] = c | 0x20
		}
	}
	return dst
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
		if slices.ContainsFunc(hosts, func(host string) bool { return c.form(host) == domain }) {
			_, own := splitHost(url)
			return !c.isSite(own, from.bare) && !(c.inOneForm() && c.Within(url, domain))
		}
	}
	return false
}
