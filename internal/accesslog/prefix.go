package accesslog

import (
	"bytes"
	"time"
)

// prefix is what a line has before it, and when that says that it was written.
type prefix struct {
	length int       // of the line, in bytes, where what is wrapped is a part of it
	time   time.Time // zero: it says nothing
}

// unwrap takes what collectors of logs write before a line off it: syslog (RFC 3164 and 5424, and with ISO times), Kubernetes' CRI,
// Docker's json-file, and journalctl's outputs short, json and export. A line without anything of the kind is returned as it is.
func (r *Reader) unwrap(line []byte) (rest []byte, p prefix, err error) {
	if len(line) < 8 {
		return line, p, nil
	}
	from, n, when, ok := 0, 0, time.Time{}, false
	switch c := line[0]; {
	case c == '{':
		rest, p = r.envelope.unwrap(line, r.calendar)
		return rest, p, nil
	case c == '<':
		end := bytes.IndexByte(line, '>')
		if end < 2 || end > 4 || !isDigits(line[1:end]) {
			return line, p, nil
		}
		if from = end + 1; bytes.HasPrefix(line[from:], []byte("1 ")) {
			from += 2
			n, when, ok = r.rfc5424(line[from:])
		} else {
			n, when, ok = r.syslog(line[from:])
		}
	case c >= 'A' && c <= 'Z', c >= '0' && c <= '9' && line[4] == '-':
		n, when, ok = r.syslog(line)
	}
	if ok {
		return line[from+n:], prefix{from + n, when}, nil
	}
	return r.journal(line)
}

// journal takes a field of journalctl's output export: the line is the message.
func (r *Reader) journal(line []byte) ([]byte, prefix, error) {
	if bytes.HasPrefix(line, []byte("__CURSOR=")) {
		r.export = true
	}
	name, value, found := bytes.Cut(line, []byte("="))
	switch {
	case !r.export || !found || !isJournalField(name):
		return line, prefix{}, nil
	case string(name) == "MESSAGE":
		return value, prefix{len("MESSAGE="), r.written}, nil
	case string(name) == "__REALTIME_TIMESTAMP":
		r.written, _ = r.calendar.read(value, "")
	}
	return nil, prefix{}, ErrSkip
}

func isJournalField(name []byte) bool {
	for _, c := range name {
		if c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(name) > 0
}

// syslog finds where the text of a line begins that has a time, a host and a tag before it: Feb  6 12:14:14 host nginx[12]: text, or with
// an ISO time; or Kubernetes' time, stream and flag.
func (r *Reader) syslog(line []byte) (n int, when time.Time, ok bool) {
	stamp := 15 // Feb  6 12:14:14
	if len(line) <= stamp {
		return 0, when, false
	}
	if line[0] <= '9' {
		if stamp = bytes.IndexByte(line, ' '); stamp < 19 || line[10] != 'T' {
			return 0, when, false
		}
	}
	if line[stamp] != ' ' {
		return 0, when, false
	}
	when, reason := r.calendar.read(line[:stamp], "")
	if reason != "" {
		return 0, when, false
	}
	first, rest, ok := bytes.Cut(line[stamp+1:], []byte(" "))
	if !ok {
		return 0, when, false
	}
	at := stamp + 1 + len(first) + 1
	if s := string(first); s == "stdout" || s == "stderr" {
		flag, _, _ := bytes.Cut(rest, []byte(" "))
		return at + len(flag) + 1, when, len(flag) == 1 && len(rest) > 2
	}
	if bytes.HasSuffix(first, []byte(":")) { // Without a host.
		return at, when, true
	}
	tag, _, _ := bytes.Cut(rest, []byte(" "))
	if bytes.HasSuffix(tag, []byte(":")) && len(tag) < len(rest) {
		return at + len(tag) + 1, when, true
	}
	return at, when, line[0] > '9' // Without a tag; an ISO time alone may be a load balancer's.
}

// rfc5424 finds where the text of a line begins, after its priority and version.
func (r *Reader) rfc5424(line []byte) (n int, when time.Time, ok bool) {
	rest := line
	for i := range 5 { // Time, host, application, process, message id.
		word, after, found := bytes.Cut(rest, []byte(" "))
		if !found {
			return 0, when, false
		}
		if i == 0 {
			when, _ = r.calendar.read(word, "")
		}
		rest = after
	}
	if bytes.HasPrefix(rest, []byte("-")) {
		rest = rest[1:]
	}
	for len(rest) > 0 && rest[0] == '[' { // Structured data.
		end := bytes.Index(rest, []byte(`"]`)) + 1
		if end == 0 {
			end = bytes.IndexByte(rest, ']')
		}
		if end < 0 {
			return 0, when, false
		}
		rest = rest[end+1:]
	}
	if len(rest) == 0 || rest[0] != ' ' {
		return 0, when, false
	}
	rest = bytes.TrimPrefix(rest[1:], []byte("\xef\xbb\xbf"))
	return len(line) - len(rest), when, true
}
