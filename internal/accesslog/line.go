package accesslog

import (
	"bytes"
	"errors"
	"net/netip"
	"strconv"
	"time"
)

// Line is one line of an access log. Its texts are good until the next line is read.
type Line struct {
	Time                     time.Time // in UTC
	Host                     []byte    // that was asked, maybe with a port; empty: the line does not name it
	Address                  []byte    // of the client, an address without port or a host name
	Method, Target, Protocol []byte    // of the request; all empty where it is no HTTP request. The protocol may be unknown
	Referrer, UserAgent      []byte    // empty for "-"
	Status, Bytes            int64     // 0: none
}

// A Fault says why a line is not of a format.
type Fault struct {
	Column int // of the line, in bytes from 1, where it parts from the format; 0: not known
	Reason string

	fit int // how much of the line was read as what it should be: the larger, the nearer is the format
}

// Error returns the reason.
func (f *Fault) Error() string { return f.Reason }

// ErrSkip reports a line that belongs to what the log is wrapped in, such as a field of the journal.
var ErrSkip = errors.New("not a line of the log")

// field is what a part of a line is.
type field int

const (
	ignored field = iota
	identity
	user
	instant // of any shape
	date
	clock
	address
	forwarded // the address where there is no other, or that of a proxy
	host
	request // method, target and protocol in one
	method
	target
	query
	protocol
	status
	size
	referrer
	userAgent
	fields
)

// What lines are taken to have whose format has no status, or no method.
var status200, methodGet = []byte("200"), []byte("GET")

// fieldNames are what reasons call the fields.
var fieldNames = [fields]string{"text", "identity", "user", "time", "date", "time", "address", "forwarded address", "host", "request",
	"method", "target", "query", "protocol", "status", "bytes", "referrer", "user agent"}

// values are the texts of a line's fields before they are checked. The first that is not empty counts.
type values struct {
	of      [fields][]byte
	at      [fields]int // where it begins, from 0
	scratch []byte      // texts that are not in the line as they are
	layout  string      // of the time, as Go has it; "": any
}

func (v *values) reset() { *v = values{scratch: v.scratch[:0]} }

// set keeps a field's text; a dash is none.
func (v *values) set(f field, text []byte, at int) {
	if len(v.of[f]) == 0 && !isDash(text) {
		v.of[f], v.at[f] = text, at
	}
}

func isDash(text []byte) bool { return len(text) == 1 && text[0] == '-' }

func (v *values) fault(f field, reason string) *Fault {
	return &Fault{Column: v.at[f] + 1, Reason: fieldNames[f] + ": " + reason}
}

// maxTime is the last instant that an event can have.
var maxTime = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)

// line checks the values and makes a line of them.
func (v *values) line(l *Line, c *calendar) *Fault {
	*l = Line{Host: v.of[host], Referrer: v.of[referrer], UserAgent: v.of[userAgent]}
	l.Address = withoutPort(firstOf(v.of[address]))
	if via := withoutPort(firstOf(v.of[forwarded])); len(via) > 0 && (len(l.Address) == 0 || isProxy(l.Address)) {
		l.Address = via
	}
	if len(l.Address) == 0 {
		return v.fault(address, "missing")
	}
	for _, f := range [...]field{address, host} { // A layout with too few words would take more for them.
		if text := firstOf(v.of[f]); bytes.IndexByte(text, ' ') >= 0 {
			return v.fault(f, quote(text)+" has a space in it")
		}
	}
	if f := v.time(l, c); f != nil {
		return f
	}
	var ok bool
	if l.Status, ok = number(v.of[status]); !ok {
		return v.fault(status, quote(v.of[status])+" is not a whole number")
	}
	if l.Status != 0 && l.Status < 100 || l.Status > 999 {
		return v.fault(status, strconv.FormatInt(l.Status, 10)+" is not HTTP's")
	}
	if l.Bytes, ok = number(v.of[size]); !ok {
		return v.fault(size, quote(v.of[size])+" is not a whole number")
	}
	v.request(l)
	l.Target, l.Referrer, l.UserAgent = ValidText(l.Target, "%"), ValidText(l.Referrer, "%"), ValidText(l.UserAgent, `\x`)
	l.Host, l.Address = ValidText(l.Host, "%"), ValidText(l.Address, "%")
	return nil
}

func (v *values) time(l *Line, c *calendar) *Fault {
	text, of := v.of[instant], instant
	if len(text) == 0 && len(v.of[clock]) > 0 {
		if len(v.of[date]) == 0 {
			return v.fault(date, "missing")
		}
		of = clock
		text = v.join(v.of[date], ' ', v.of[clock])
	}
	if len(text) == 0 {
		return v.fault(instant, "missing")
	}
	var reason string
	if l.Time, reason = c.read(text, v.layout); reason != "" {
		return v.fault(of, reason)
	}
	if l.Time.Before(time.UnixMilli(0)) || l.Time.After(maxTime) {
		return v.fault(of, quote([]byte(l.Time.Format(time.RFC3339)))+" is not between 1970 and 9999")
	}
	return nil
}

// join puts two texts together.
func (v *values) join(a []byte, between byte, b []byte) []byte {
	from := len(v.scratch)
	v.scratch = append(append(append(v.scratch, a...), between), b...)
	return v.scratch[from:len(v.scratch):len(v.scratch)]
}

// number reads a whole number: what is not there, and -1, are 0.
func number(text []byte) (n int64, ok bool) {
	if string(text) == "-1" {
		return 0, true
	}
	if len(text) > 18 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// firstOf is the first address of a list.
func firstOf(list []byte) []byte {
	first, _, _ := bytes.Cut(list, []byte(","))
	return bytes.TrimSpace(first)
}

// isProxy reports whether an address is of a network of the server's own.
func isProxy(address []byte) bool {
	a, err := netip.ParseAddr(string(address))
	return err == nil && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast())
}

// withoutPort is an address without its port and brackets. IPv6 without brackets has more than one colon and no port.
func withoutPort(address []byte) []byte {
	if len(address) > 0 && address[0] == '[' {
		if end := bytes.IndexByte(address, ']'); end > 0 {
			return address[1:end]
		}
	}
	if i := bytes.IndexByte(address, ':'); i > 0 && bytes.IndexByte(address[i+1:], ':') < 0 && isDigits(address[i+1:]) {
		return address[:i]
	}
	return address
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
