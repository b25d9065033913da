package accesslog

import "bytes"

// request takes the request apart, or puts it together from its parts. A target with a scheme names the host where nothing else does.
func (v *values) request(l *Line) {
	whole := v.of[request]
	if l.Method, l.Target, l.Protocol = splitRequest(whole); len(l.Method) == 0 {
		l.Method, l.Target, l.Protocol = v.of[method], v.of[target], v.of[protocol]
		if q := bytes.TrimPrefix(v.of[query], []byte("?")); len(q) > 0 && len(l.Target) > 0 && bytes.IndexByte(l.Target, '?') < 0 {
			l.Target = v.join(l.Target, '?', q)
		}
		if !isToken(l.Method) || len(l.Target) == 0 || len(l.Protocol) > 0 && !isToken(l.Protocol) {
			l.Method, l.Target, l.Protocol = nil, nil, nil
		}
	}
	if len(l.Host) == 0 {
		if named := l.Target; len(named) > 0 {
			l.Host = hostOf(named)
		} else {
			l.Host = hostOf(whole)
		}
	}
}

// splitRequest takes a request apart. Bytes of a port scan, or a TLS handshake, are no request.
func splitRequest(text []byte) (method, target, protocol []byte) {
	first, last := bytes.IndexByte(text, ' '), bytes.LastIndexByte(text, ' ')
	if first < 0 || last <= first+1 || !bytes.HasPrefix(text[last+1:], []byte("HTTP/")) || !isToken(text[:first]) || !isToken(text[last+1:]) {
		return nil, nil, nil
	}
	return text[:first], text[first+1 : last], text[last+1:]
}

// hostOf is the host in a target with a scheme, or in what a load balancer could not read: - https://www.example.com:443- -.
func hostOf(text []byte) []byte {
	i := bytes.Index(text, []byte("://"))
	if i < 0 || bytes.ContainsAny(text[:i], "/?\"") {
		return nil
	}
	named := text[i+3:]
	if end := bytes.IndexAny(named, "/?# "); end >= 0 {
		named = named[:end]
	}
	return bytes.TrimSuffix(named, []byte("-"))
}

// isToken reports whether text is printable ASCII without quotes, and thus itself in JSON.
func isToken(text []byte) bool {
	for _, c := range text {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return len(text) > 0
}
