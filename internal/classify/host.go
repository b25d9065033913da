package classify

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxHostBytes is how long a host may be: a name in the DNS has at most 253 letters.
const maxHostBytes = 253

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
