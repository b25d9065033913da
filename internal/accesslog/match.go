package accesslog

import (
	"bytes"
	"strconv"
	"strings"
)

// match takes the fields of a line by a layout.
func (l *layout) match(line []byte, v *values) *Fault {
	if !bytes.HasPrefix(line, []byte(l.prefix)) {
		return &Fault{Column: 1, Reason: "expected " + strconv.Quote(l.prefix)}
	}
	v.layout = l.times
	rest := line[len(l.prefix):]
	for i, s := range l.steps {
		if s.loose {
			rest = bytes.TrimLeft(rest, " ")
		}
		at := len(line) - len(rest)
		var text []byte
		var reason string
		last := i == len(l.steps)-1
		if s.quoted && (len(rest) == 0 || rest[0] != '-') {
			text, rest, reason = s.inQuotes(rest, last)
		} else {
			text, rest, reason = s.plain(rest, last)
		}
		if reason != "" {
			at = max(at, len(line)-len(rest))
			return &Fault{Column: at + 1, Reason: fieldNames[s.field] + ": " + reason}
		}
		if s.field == ignored {
			continue
		}
		if s.quoted {
			text = v.unescape(text)
		}
		v.set(s.field, text, at)
	}
	if l.noStatus {
		v.of[status] = status200
	}
	if l.noMethod {
		v.of[method] = methodGet
	}
	return nil
}

// inQuotes takes a field in quotes and what follows it. The reason is that it is not there; the rest begins where it should be.
func (s *step) inQuotes(line []byte, last bool) (text, rest []byte, reason string) {
	switch {
	case len(line) == 0:
		return nil, line, "missing"
	case line[0] != '"':
		return nil, line, "no opening quote"
	}
	end := closingQuote(line)
	if end < 0 {
		return nil, line, "no closing quote"
	}
	text, rest = line[1:end], line[end+1:]
	switch {
	case len(rest) == 0 && !last: // The next field is missing.
		return text, nil, ""
	case len(rest) > 0 && rest[0] != ' ' && (last && s.until == "" || strings.HasPrefix(s.until, " ")):
		return nil, rest, "no space after its closing quote"
	case !bytes.HasPrefix(rest, []byte(s.until)) && (!last || len(rest) > 0 || strings.TrimSpace(s.until) != ""):
		return nil, rest, "not ended by " + strconv.Quote(`"`+s.until)
	}
	return text, bytes.TrimPrefix(rest, []byte(s.until)), ""
}

// closingQuote is where the quoted text that a line begins with ends; -1: it does not.
func closingQuote(line []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return -1
		}
		slashes := 0
		for j := i + n - 1; j > 0 && line[j] == '\\'; j-- {
			slashes++
		}
		if i += n; slashes%2 == 0 {
			return i
		}
		i++
	}
}

// plain takes a field without quotes and what follows it.
func (s *step) plain(line []byte, last bool) (text, rest []byte, reason string) {
	until := s.until
	numeric := s.field == status || s.field == size
	switch {
	case until == "" && !last: // A target follows a host.
		i := bytes.IndexByte(line, '/')
		if i < 0 {
			return nil, line, `not ended by "/"`
		}
		return line[:i], line[i:], ""
	case until == "" && (!numeric || bytes.IndexByte(line, ' ') < 0):
		text = line
	case until == "":
		text, rest, _ = bytes.Cut(line, []byte(" "))
		if _, ok := number(text); ok || isDash(text) {
			return nil, rest, "text after it: " + quote(rest)
		}
	default:
		i := bytes.Index(line, []byte(until))
		for n := 0; n < s.within && i >= 0; n++ {
			next := bytes.Index(line[i+len(until):], []byte(until))
			if i += len(until) + next; next < 0 {
				i = -1
			}
		}
		switch {
		case i >= 0:
			text, rest = line[:i], line[i+len(until):]
		case numeric && bytes.IndexByte(line, ' ') < 0:
			text = line
		case last && strings.TrimSpace(until) == "":
			text = line
		default:
			return nil, line, "not ended by " + strconv.Quote(until)
		}
	}
	if len(text) == 0 && (s.field == address || s.field == identity || numeric) {
		return nil, line, "missing"
	}
	if _, ok := number(text); numeric && !ok && !isDash(text) {
		return nil, line, quote(text) + " is not a whole number"
	}
	return text, rest, ""
}
