package classify

import (
	"bytes"
	"unicode/utf8"
)

// Hostname returns the host of an absolute url: in lower case, without port, user and a dot at its end, cut to 253
// bytes, an internationalised name as it is spelled. It is empty where the url has none: a path, "//a" included, is
// what servers log as a request's target; and where a host has characters that no browser allows in one. It does not
// allocate for a host that was asked for lately.
func (c *Classifier) Hostname(url []byte) string {
	_, name := splitHost(url)
	return c.host(name).name
}

// HasHost reports whether the url's host is spelled as this one. If Hostname returned it for another url, it is that of this
// one too, as Hostname would find at more expense.
func (c *Classifier) HasHost(url []byte, host string) bool {
	_, name := splitHost(url)
	return string(name) == host && !(c.inOneForm() && !isASCII(host)) // It may be remembered of a step that counted hosts as they are spelled.
}

// host returns what the lists say about a host as it is spelled in a url, the zero host when it is none. Spellings are
// remembered as they are, which saves making them alike; those that are too long are not.
func (c *Classifier) host(spelled []byte) host {
	if len(spelled) == 0 {
		return host{}
	}
	h, ok := c.hosts.get(spelled)
	if !ok {
		h = c.lists.host(string(appendHost(nil, spelled)))
		h.form = c.formOf(h)
		if len(spelled) <= maxHostBytes {
			c.hosts.put(string(spelled), h)
		}
	}
	if c.inOneForm() && h.form != nil {
		return *h.form
	}
	return h
}

// isSite reports whether a host as it is spelled in a url is, without "www.", the bare name of another. Nearly all are spelled in lower
// case, and need not be remembered to be compared: there are as many of them as sites.
func (c *Classifier) isSite(spelled []byte, bareName string) bool {
	if len(spelled) > maxHostBytes {
		return c.host(spelled).bare == bareName
	}
	for _, b := range spelled {
		if b >= utf8.RuneSelf || hostBytes[b] != b {
			return c.host(spelled).bare == bareName
		}
	}
	if string(spelled) == bareName {
		return c.bare(bareName) == bareName
	}
	rest, ok := bytes.CutPrefix(spelled, []byte("www."))
	return ok && string(rest) == bareName && (c.inOneForm() || bytes.IndexByte(rest, '.') >= 0)
}
