package accesslog

import "bytes"

// haproxy reads lines of HAProxy's option httplog. The request is the last of a line, after as many words as headers were captured.
type haproxy struct{ *layout }

// haproxyLayout is what is before the request; compile wants one, and the rest of the line is none.
var haproxyLayout = mustCompile(`%h [%x] %^ %^/%^ %^/%^/%^/%^/%^ %s %b %r`)

func newHAProxy() parser { return haproxy{haproxyLayout} }

func (h haproxy) parse(line []byte, v *values) *Fault {
	if f := h.match(line, v); f != nil {
		return f
	}
	begin := bytes.LastIndex(line, []byte(` "`))
	end := bytes.LastIndexByte(line, '"')
	if begin < 0 || end < begin+2 {
		return &Fault{Column: len(line), Reason: "request: no text in quotes at the end"}
	}
	v.of[request], v.at[request] = v.unescape(line[begin+2:end]), begin+2
	if i := bytes.LastIndexByte(v.of[address], ':'); i >= 0 { // All have a port, also those of IPv6, without brackets.
		v.of[address] = v.of[address][:i]
	}
	return nil
}
