package accesslog

import (
	"bytes"
	"net/netip"
	"slices"
)

// parser reads lines of a format into values.
type parser interface {
	parse(line []byte, v *values) *Fault
}

// format is a kind of access log.
type format struct {
	name  string
	hosts bool // lines may name the host
	json  bool
	make  func() parser // with its own state
}

// Names are the formats' names:
//
//	combined, common               of Apache and nginx: address, time, request, status, bytes; combined with referrer and user agent. More
//	                               fields may follow, as those of ingress-nginx and Traefik
//	vhost_combined, vhost_common   the same after the virtual host, with or without a port
//	varnish                        combined with the host in the request
//	lighttpd                       combined with the host in place of the identity
//	haproxy, squid, envoy, istio   as these write by default; haproxy by its option httplog
//	alb, elb, s3                   of AWS
//	w3c                            columns by a #Fields header: IIS, CloudFront
//	cloudfront-realtime            all columns of CloudFront's real-time logs, without a header
//	caddy, nginx, traefik-json, envoy-json, apigateway, cloudflare, cloudfront-json, fastly, vercel   JSON, one object a line
var Names = names()

func names() []string {
	all := []string{"combined", "common", "vhost_combined", "vhost_common"} // They are named first, though others are tried before them.
	for _, f := range allFormats {
		if !slices.Contains(all, f.name) {
			all = append(all, f.name)
		}
	}
	return all
}

func find(name string) (format, bool) {
	for _, f := range allFormats {
		if f.name == name {
			return f, true
		}
	}
	return format{}, false
}

// The layouts of formats, in our own words (see compile). Their sources are in testdata/README.md.
const (
	commonText   = `%h %l %u %t "%r" %>s %b`
	combinedText = commonText + ` "%{Referer}i" "%{User-Agent}i"`
)

// allFormats are tried in this order: of those that read as many lines, the first is taken.
var allFormats = append([]format{
	{"varnish", true, false, absolutes()},
	{"vhost_combined", true, false, clfOf("%v "+combinedText, hostHead)},
	{"lighttpd", true, false, clfOf(`%h %v %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`, secondHead)},
	{"combined", false, false, clfOf(combinedText, plainHead)},
	{"vhost_common", true, false, clfOf("%v "+commonText, hostHead)},
	{"common", false, false, clfOf(commonText, plainHead)},
	{"haproxy", true, false, newHAProxy},
	{"squid", true, false, byLayout(`%x %~%^ %h %^/%s %b %m %U %^`)},
	{"alb", true, false, byLayout(`%^ %x %^ %h %^ %^ %^ %^ %s %^ %^ %b "%r" "%u" %^`)},
	{"elb", true, false, byLayout(`%x %^ %h %^ %^ %^ %^ %s %^ %^ %b "%r" "%u" %^`)},
	{"s3", true, false, byLayout(`%^ %v [%x] %h %^ %^ %^ %^ "%r" %s %^ %b %^ %^ %^ "%R" "%u" %^`)},
	{"envoy", true, false, byLayout(`[%x] "%r" %s %^ %^ %b %^ %^ "%h" "%u" "%^" "%v" "%^"`)},
	{"istio", true, false, byLayout(`[%x] "%r" %s %^ %^ %^ "%^" %^ %b %^ %^ "%h" "%u" "%^" "%v" "%^"`)},
	{"w3c", true, false, func() parser { return &w3c{} }},
	{"cloudfront-realtime", true, false, newRealtime},
}, jsonFormats()...)

func byLayout(text string) func() parser {
	l := mustCompile(text)
	return func() parser { return l }
}

func clfOf(text string, head head) func() parser {
	c := clf{mustCompile(text), head}
	return func() parser { return c }
}

func absolutes() func() parser {
	by := clfOf(combinedText, plainHead)
	return func() parser { return absolute{by()} }
}

func (l *layout) parse(line []byte, v *values) *Fault { return l.match(line, v) }

// clf are the formats that begin as the Common Log Format does, or with a host. Any of them would read lines of the others: what is before
// the time decides.
type clf struct {
	*layout
	head head
}

// head is what lines have before their time.
type head string

const (
	plainHead  head = "combined"       // address, identity, user
	hostHead   head = "vhost_combined" // the host before them
	secondHead head = "lighttpd"       // address, host, user
)

func (c clf) parse(line []byte, v *values) *Fault {
	f := c.match(line, v)
	words, n := headWords(line)
	if n < 3 {
		return f
	}
	got := plainHead
	switch {
	case n == 4 && isVirtual(words):
		got = hostHead
	case n == 3 && !isDash(words[1]) && bytes.ContainsAny(words[1], ".:"):
		got = secondHead
	}
	switch {
	case got == c.head || got == secondHead && c.head == plainHead:
		return f
	case got == hostHead:
		return &Fault{Column: 1, Reason: "address: " + quote(words[0]) + " is a virtual host, with the address after it: " +
			"the format is vhost_combined"}
	case c.head == hostHead:
		return &Fault{Column: 1, Reason: "host: " + quote(words[0]) + " is not a host before an address, as in www.example.com:443 192.0.2.1"}
	}
	return &Fault{Column: len(words[0]) + 2, Reason: "host: " + quote(words[1]) + " is not a host: the format may be combined"}
}

// headWords are the first words before the time, and how many there are, up to 4.
func headWords(line []byte) (words [4][]byte, n int) {
	end := bytes.Index(line, []byte(" ["))
	for rest := line[:max(end, 0)]; len(rest) > 0 && n < len(words); n++ {
		words[n], rest, _ = bytes.Cut(rest, []byte(" "))
	}
	return words, n
}

// isVirtual reports whether the words before a time begin with a virtual host: with its port, or before an address where other formats have
// the identity, or before a name and an identity that is none.
func isVirtual(words [4][]byte) bool {
	first, second := words[0], words[1]
	if i := bytes.LastIndexByte(first, ':'); i > 0 && isDigits(first[i+1:]) && (first[i-1] == ']' || bytes.IndexByte(first, ':') == i) {
		return true // IPv6 has more colons.
	}
	if isDash(second) {
		return false
	}
	if isDash(words[2]) {
		return true
	}
	_, err := netip.ParseAddr(string(second))
	return err == nil
}

// absolute reads lines whose requests have the host in them.
type absolute struct{ parser }

func (a absolute) parse(line []byte, v *values) *Fault {
	f := a.parser.parse(line, v)
	if f != nil {
		return f
	}
	if r := v.of[request]; len(r) > 0 && len(hostOf(r[bytes.IndexByte(r, ' ')+1:])) == 0 {
		return v.fault(request, "no host in it, as in GET http://www.example.com/ HTTP/1.1: the format may be combined")
	}
	return nil
}
