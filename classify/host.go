package classify

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxHostBytes is how long a host may be: a name in the DNS has at most 253 letters.
const maxHostBytes = 253

// Hostname returns the host of an absolute url: in lower case, without port, user and a dot at its end, cut to 253
// bytes, an internationalised name as it is spelled. It is empty where the url has none: a path, "//a" included, is
// what servers log as a request's target; and where a host has characters that no browser allows in one. It does not
// allocate for a host that was asked for lately.
func (c *Classifier) Hostname(url []byte) string {
	_, name := splitHost(url)
	return c.host(name).name
}

// A host is what the lists say about one.
type host struct {
	name string // as Hostname returns it
	bare string // without "www.": two hosts with the same are one site
	spam bool
	site site
}

// host looks a host up as it is spelled in a url, or the zero host when it is none.
func (c *Classifier) host(spelled []byte) host {
	c.scratch = appendHost(c.scratch[:0], spelled)
	if len(c.scratch) == 0 {
		return host{}
	}
	if h, ok := c.hosts.get(c.scratch); ok {
		return h
	}
	name := string(c.scratch)
	h := host{name: name, bare: bare(name), spam: isSpam(c.lists.spam, name), site: c.lists.sites.find(name)}
	c.hosts.put(name, h)
	return h
}

// bare returns the host without a leading "www.", unless that would leave a top-level domain.
func bare(name string) string {
	if rest, ok := strings.CutPrefix(name, "www."); ok && strings.Contains(rest, ".") {
		return rest
	}
	return name
}

// splitHost returns scheme and host of an absolute url as they are spelled, nothing for any other.
func splitHost(url []byte) (scheme, name []byte) {
	i := bytes.Index(url, []byte("://"))
	if i < 0 || !isScheme(url[:i]) {
		return nil, nil
	}
	scheme, name = url[:i], url[i+3:]
	if end := bytes.IndexAny(name, `/?#\`); end >= 0 {
		name = name[:end]
	}
	if at := bytes.LastIndexByte(name, '@'); at >= 0 {
		name = name[at+1:]
	}
	switch end := bytes.IndexByte(name, ']'); {
	case end >= 0 && name[0] == '[': // an IPv6 address
		name = name[:end+1]
	default:
		name, _, _ = bytes.Cut(name, []byte(":"))
	}
	return scheme, bytes.TrimSuffix(name, []byte("."))
}

func isScheme(s []byte) bool {
	for i, c := range s {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return len(s) > 0
}

// appendHost appends the host in the form that the lists have it in, or nothing when it cannot be one: the WHATWG's URL
// standard forbids these characters in hosts, so that no browser has been there.
func appendHost(dst, spelled []byte) []byte {
	for _, c := range spelled {
		if c <= ' ' || c == 0x7f || strings.IndexByte("\"<>^`{|}", c) >= 0 {
			return dst
		}
	}
	start := len(dst)
	dst = appendText(dst, spelled, maxHostBytes)
	lowerASCII(dst[start:])
	return dst
}

// appendText appends the text, at most max bytes of whole runes. Each byte that is not of valid UTF-8 becomes U+FFFD.
func appendText(dst, text []byte, max int) []byte {
	for end := len(dst) + max; len(text) > 0; {
		r, n := utf8.DecodeRune(text)
		if len(dst)+utf8.RuneLen(r) > end {
			break
		}
		dst = utf8.AppendRune(dst, r)
		text = text[n:]
	}
	return dst
}

// lowerASCII leaves other letters alone: what their lower case is depends on the version of Unicode.
func lowerASCII(b []byte) {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
}
