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

// HasHost reports whether the url's host is spelled as this one. If Hostname returned it for another url, it is that of this
// one too, as Hostname would find at more expense.
func HasHost(url []byte, host string) bool {
	_, name := splitHost(url)
	return string(name) == host
}

// A host is what the lists say about one.
type host struct {
	name string // as Hostname returns it
	bare string // without "www.": two hosts with the same are one site
	spam bool
	site site
}

// host returns what the lists say about a host as it is spelled in a url, the zero host when it is none. Spellings are
// remembered as they are, which saves making them alike; those that are too long are not.
func (c *Classifier) host(spelled []byte) host {
	if len(spelled) == 0 {
		return host{}
	}
	if h, ok := c.hosts.get(spelled); ok {
		return h
	}
	h := c.lists.host(string(appendHost(nil, spelled)))
	if len(spelled) <= maxHostBytes {
		c.hosts.put(string(spelled), h)
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
		return bare(bareName) == bareName
	}
	rest, ok := bytes.CutPrefix(spelled, []byte("www."))
	return ok && string(rest) == bareName && bytes.IndexByte(rest, '.') >= 0
}

func (l *lists) host(name string) host {
	if name == "" {
		return host{}
	}
	return host{name: name, bare: bare(name), spam: isSpam(l.spam, name), site: l.sites.find(name)}
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
	i := bytes.IndexByte(url, ':')
	if i < 0 || !bytes.HasPrefix(url[i:], []byte("://")) || !isScheme(url[:i]) {
		return nil, nil
	}
	scheme, name = url[:i], url[i+3:]
	for end, c := range name {
		if c == '/' || c == '?' || c == '#' || c == '\\' {
			name = name[:end]
			break
		}
	}
	if at := bytes.LastIndexByte(name, '@'); at >= 0 {
		name = name[at+1:]
	}
	if end := bytes.IndexByte(name, ']'); end >= 0 && name[0] == '[' { // an IPv6 address
		name = name[:end+1]
	} else if end := bytes.IndexByte(name, ':'); end >= 0 {
		name = name[:end]
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

// hostBytes are the bytes of hosts in lower case, 0 where they are none: the WHATWG's URL standard forbids these
// characters in hosts, so that no browser has been there.
var hostBytes = func() (all [256]byte) {
	for i := range all {
		switch c := byte(i); {
		case c <= ' ' || strings.IndexByte("\"<>^`{|}\x7f", c) >= 0:
		case 'A' <= c && c <= 'Z':
			all[i] = c | 0x20
		default:
			all[i] = c
		}
	}
	return all
}()

// appendHost appends the host in the form that the lists have it in, or nothing when it cannot be one.
func appendHost(dst, spelled []byte) []byte {
	start, ascii := len(dst), len(spelled) <= maxHostBytes
	for _, c := range spelled {
		c = hostBytes[c]
		if c == 0 {
			return dst[:start]
		}
		if ascii = ascii && c < utf8.RuneSelf; ascii {
			dst = append(dst, c)
		}
	}
	if ascii {
		return dst
	}
	dst = appendText(dst[:start], spelled, maxHostBytes)
	lowerASCII(dst[start:])
	return dst
}

// appendText appends the text, at most max bytes of whole runes. Each byte that is not of valid UTF-8 becomes U+FFFD.
func appendText(dst, text []byte, max int) []byte {
	for end := len(dst) + max; len(text) > 0; {
		r, n := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text)
		}
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
