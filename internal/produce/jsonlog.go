package produce

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonLog reads lines of access logs that are JSON objects.
type jsonLog struct {
	json    reader
	members []member
}

// parseCaddy takes a line of a Caddy server's access log apart (caddyserver.com/docs/logging):
//
//	{"ts":1646861401.5241024,"request":{"client_ip":"…","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/",
//	 "headers":{"User-Agent":["curl/7.82.0"]}},"size":10900,"status":200,…}
func (j *jsonLog) parseCaddy(line []byte) (l logLine, reason string) {
	if j.members, reason = j.json.object(j.members[:0], line); reason != "" {
		return logLine{}, reason
	}
	request := find(j.members, "request")
	if request.Kind() != '{' {
		return logLine{}, "request: the line has none, or it is not an object: not a line of an access log"
	}
	s := scanner{}
	l.time = s.instant("ts", find(j.members, "ts"))
	l.status, l.bytes = s.count("status", find(j.members, "status")), s.count("size", find(j.members, "size"))
	text := func(key string) string {
		text, _ := unquote(j.json.lookup(j.members, "request."+key))
		return text
	}
	l.address = cmp.Or(text("client_ip"), text("remote_ip"), text("remote_addr")) // The last is of releases before 2.5.
	l.method, l.target, l.protocol = requestOf(text("method"), text("uri"), text("proto"))
	l.host = text("host")
	l.referrer, l.userAgent = text("headers.Referer[0]"), text("headers.User-Agent[0]")
	return l.checked(&s)
}

// parseNginx takes a line apart that nginx wrote with escape=json, an object whose keys are named as nginx's variables are
// (nginx.org/en/docs/varindex.html): one of time_iso8601, msec and time_local; remote_addr; request, or request_method with
// request_uri; status. bytes_sent or body_bytes_sent, host, http_referer and http_user_agent may be left out.
func (j *jsonLog) parseNginx(line []byte) (l logLine, reason string) {
	if j.members, reason = j.json.object(j.members[:0], line); reason != "" {
		return logLine{}, reason
	}
	value := func(keys ...string) jsontext.Value {
		for _, key := range keys {
			if v := find(j.members, key); v != nil && string(v) != `""` && v.Kind() != 'n' {
				return v
			}
		}
		return nil
	}
	text := func(keys ...string) string {
		text, _ := unquote(value(keys...))
		return text
	}
	s := scanner{}
	l.time = s.instant("time_iso8601, msec and time_local", value("time_iso8601", "msec", "time_local", "@timestamp", "timestamp", "time"))
	l.status, l.bytes = s.count("status", value("status")), s.count("bytes", value("body_bytes_sent", "bytes_sent"))
	l.address = text("realip_remote_addr", "remote_addr")
	l.method, l.target, l.protocol = splitRequest(text("request"))
	if l.method == "" {
		target := text("request_uri")
		if args := text("args"); target == "" {
			if target = text("uri"); args != "" {
				target += "?" + args
			}
		}
		l.method, l.target, l.protocol = requestOf(text("request_method"), target, cmp.Or(text("server_protocol"), "HTTP/1.1"))
	}
	l.host = text("host", "http_host", "server_name")
	l.referrer, l.userAgent = text("http_referer", "http_referrer"), text("http_user_agent")
	return l.checked(&s)
}

// requestOf is a request in three parts; all empty where one is none of HTTP's.
func requestOf(method, target, protocol string) (string, string, string) {
	if !isToken(method) || !isToken(protocol) || target == "" {
		return "", "", ""
	}
	return method, target, protocol
}

// count reads a whole number, or text that spells one; a lacking one and a dash are 0.
func (s *scanner) count(field string, v jsontext.Value) int64 {
	text, ok := unquote(v)
	if !ok {
		text = string(v)
	}
	if text == "" || text == "-" || v.Kind() == 'n' {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		s.fail(field, quote(text)+" is not a whole number")
	}
	return n
}

// instant reads a time: RFC 3339, as access logs have it, or a number since 1970 began, in the unit that makes it a time from 1973 to
// 5138.
func (s *scanner) instant(field string, v jsontext.Value) time.Time {
	text, ok := unquote(v)
	if !ok {
		text = string(v)
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 1e8 {
		perSecond := 1.0
		for ; n >= 1e11; n /= 1000 {
			perSecond *= 1000
		}
		t, reason := sinceEpoch(text, perSecond)
		if reason != "" {
			s.fail(field, reason)
		}
		return t
	}
	for _, layout := range []string{time.RFC3339, logTime, "2006-01-02T15:04:05.999-0700", "2006/01/02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	if strings.TrimSpace(text) == "" {
		s.fail(field, "missing")
		return time.Time{}
	}
	s.fail(field, quote(text)+" is not a time, as in 2026-05-12T14:03:05Z or 1778594585.25")
	return time.Time{}
}
