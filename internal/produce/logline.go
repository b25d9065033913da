package produce

import (
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// logLine is one line of an access log.
type logLine struct {
	host                         string // that was asked; "": the log does not name it
	address, referrer, userAgent string // "" for "-"
	method, target, protocol     string // of the request; all "" where it is no HTTP request
	time                         time.Time
	status, bytes                int64 // bytes is 0 for "-"
}

// parseCombined takes a line in the combined format apart, or says which field is not as it should be:
//
//	address ident user [17/May/2015:10:05:03 +0000] "GET /path HTTP/1.1" 200 203023 "referrer" "user agent"
//
// Fields after the user agent, as nginx's "main" format has, are passed over. In quoted fields a backslash is
// undone as Apache (\" \\ \n \t \xhh) and nginx (\xHH) write it.
func parseCombined(line []byte) (logLine, string) {
	s := scanner{rest: string(line)}
	if host, rest, _ := strings.Cut(s.rest, " "); namesHost(host, rest) {
		return logLine{}, "address: " + quote(host) + " is a virtual host, with the address after it: the format is vhost_combined"
	}
	l := s.common()
	if s.reason == "" && s.rest == "" {
		return logLine{}, "referrer: missing: the format may be common"
	}
	l.referrer = s.quoted("referrer")
	l.userAgent = s.quoted("user agent")
	return l.checked(&s)
}

// parseCommon takes a line in the Common Log Format apart: that of parseCombined up to the bytes.
func parseCommon(line []byte) (logLine, string) {
	s := scanner{rest: string(line)}
	l := s.common()
	if s.reason == "" && s.rest != "" {
		return logLine{}, "text after the bytes: " + quote(s.rest) + ": the format may be combined"
	}
	return l.checked(&s)
}

// parseVhostCombined takes a line apart as the format vhost_combined has it: "host:port " before that of parseCombined, or without a port.
func parseVhostCombined(line []byte) (logLine, string) {
	host, rest, _ := strings.Cut(string(line), " ")
	if !namesHost(host, rest) {
		return logLine{}, "host: " + quote(host) + " is not a host before an address, as in www.example.com:443 192.0.2.1"
	}
	l, reason := parseCombined([]byte(rest))
	l.host = validText(host, "%")
	return l, reason
}

// namesHost reports whether a line begins with a virtual host: with its port, or before an address where other formats have the identity.
func namesHost(first, rest string) bool {
	if i := strings.LastIndexByte(first, ':'); i > 0 && strings.Trim(first[i+1:], "0123456789") == "" {
		if _, err := netip.ParseAddr(first); err != nil { // IPv6 has colons, too.
			return true
		}
	}
	second, _, _ := strings.Cut(rest, " ")
	_, err := netip.ParseAddr(second)
	return err == nil
}

// common takes the fields of the Common Log Format off the front of a line.
func (s *scanner) common() (l logLine) {
	l.address = s.word("address")
	s.word("identity")
	s.until(" [", "user") // A user's name may hold spaces.
	stamp := s.until("] ", "time")
	l.method, l.target, l.protocol = splitRequest(s.quoted("request"))
	l.status = s.number("status")
	l.bytes = s.number("bytes")
	if s.reason == "" {
		var err error
		if l.time, err = time.Parse(logTime, stamp); err != nil {
			s.fail("time", quote(stamp)+" is not a log's, as in 17/May/2015:10:05:03 +0000")
		}
	}
	return l
}

// logTime is how access logs write times.
const logTime = "02/Jan/2006:15:04:05 -0700"

// checked is a line whose fields are there, with values that an event may have.
func (l logLine) checked(s *scanner) (logLine, string) {
	l.time = l.time.UTC()
	switch {
	case s.reason != "":
		return logLine{}, s.reason
	case l.address == "":
		return logLine{}, "address: missing"
	case l.time.Before(time.UnixMilli(0)) || l.time.After(maxTime):
		return logLine{}, "time: " + quote(l.time.Format(time.RFC3339)) + " is not between 1970 and 9999"
	case l.status < 100 || l.status > 999:
		return logLine{}, "status: " + strconv.FormatInt(l.status, 10) + " is not HTTP's"
	}
	l.target, l.referrer = validText(l.target, "%"), validText(dash(l.referrer), "%")
	l.userAgent = validText(dash(l.userAgent), `\x`)
	return l, ""
}

// splitRequest takes a request apart. Bytes of a port scan, or a TLS handshake, are no request.
func splitRequest(request string) (method, target, protocol string) {
	method, rest, ok := strings.Cut(request, " ")
	i := strings.LastIndexByte(rest, ' ')
	if !ok || i < 0 || !strings.HasPrefix(rest[i+1:], "HTTP/") || !isToken(method) || !isToken(rest[i+1:]) {
		return "", "", ""
	}
	return method, rest[:i], rest[i+1:]
}

// isToken reports whether s is printable ASCII without quotes, and thus itself in JSON.
func isToken(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return s != ""
}

func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// validText spells bytes that are not UTF-8 as escape and two hex digits: no two texts become one by a common
// replacement character.
func validText(s, escape string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			b.WriteString(escape + strings.ToUpper(hex.EncodeToString([]byte(s[:1]))))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// scanner takes fields off the front of a line. After the first that is not there it yields nothing more, and
// reason says which that was.
type scanner struct {
	rest   string
	reason string
}

func (s *scanner) fail(field, reason string) {
	if s.reason == "" {
		s.reason = field + ": " + reason
	}
	s.rest = ""
}

// word takes up to the next space.
func (s *scanner) word(field string) string {
	w := s.until(" ", field)
	if w == "" {
		s.fail(field, "missing")
	}
	return w
}

// until takes up to what ends the field, and that too.
func (s *scanner) until(end, field string) string {
	text, rest, ok := strings.Cut(s.rest, end)
	if !ok {
		s.fail(field, "not ended by "+strconv.Quote(end))
		return ""
	}
	s.rest = rest
	return text
}

// number takes a whole number; a dash is 0.
func (s *scanner) number(field string) int64 {
	w, rest, _ := strings.Cut(s.rest, " ") // It may be the last.
	if s.rest = rest; w == "" {
		s.fail(field, "missing")
	}
	if w == "-" || s.reason != "" {
		return 0
	}
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil || n < 0 {
		s.fail(field, quote(w)+" is not a whole number")
	}
	return n
}

// quoted takes a field in quotes and the space after it, and undoes its escapes.
func (s *scanner) quoted(field string) string {
	if !strings.HasPrefix(s.rest, `"`) {
		s.fail(field, "no opening quote")
		return ""
	}
	for i := 1; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '\\':
			i++
		case '"':
			text, rest := s.rest[1:i], s.rest[i+1:]
			if rest != "" && rest[0] != ' ' {
				s.fail(field, "no space after its closing quote")
				return ""
			}
			s.rest = strings.TrimPrefix(rest, " ")
			return unescape(text)
		}
	}
	s.fail(field, "no closing quote")
	return ""
}

// unescape undoes the backslashes of a quoted field. One that begins no known escape stays.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '"', '\\':
			b.WriteByte(s[i])
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'x':
			if c, err := hex.DecodeString(s[i+1 : min(i+3, len(s))]); err == nil && len(c) == 1 {
				b.Write(c)
				i += 2
				continue
			}
			fallthrough
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
