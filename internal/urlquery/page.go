package urlquery

import "bytes"

var rootPage = []byte("/")

// Page returns the page of an event's url: its path without query and fragment, "/" for an empty path, nil without url.
// A url without a scheme is a path already, "//a" included: servers log request targets. The page is a part of url, or shared:
// change nothing in it. It does not allocate.
func Page(url []byte) []byte {
	u := url
	if u == nil {
		return nil
	}
	if i := bytes.IndexByte(u, '#'); i >= 0 {
		u = u[:i]
	}
	if i := bytes.IndexByte(u, '?'); i >= 0 {
		u = u[:i]
	}
	if i := bytes.Index(u, []byte("://")); i >= 0 && isScheme(u[:i]) {
		u = u[i+3:]
		if i = bytes.IndexByte(u, '/'); i < 0 {
			return rootPage
		}
		return u[i:]
	}
	if len(u) == 0 {
		return rootPage
	}
	return u
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
