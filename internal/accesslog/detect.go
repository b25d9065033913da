package accesslog

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Nearest is the format that reads the most of a line that none reads.
type Nearest struct {
	Format string
	Fault  *Fault
}

// String says where the line parts from the format.
func (n Nearest) String() string {
	if n.Fault.Column == 0 {
		return fmt.Sprintf("the nearest format is %s: %s", n.Format, n.Fault.Reason)
	}
	return fmt.Sprintf("the nearest format is %s, and column %d is not of it: %s", n.Format, n.Fault.Column, n.Fault.Reason)
}

// fit is how many of the values are what they should be.
func (v *values) fit(c *calendar) (n int) {
	if _, reason := c.read(v.of[instant], v.layout); reason == "" {
		n++
	}
	if a := withoutPort(firstOf(v.of[address])); len(a) > 0 {
		if _, err := netip.ParseAddr(string(a)); err == nil {
			n++
		}
	}
	if s, ok := number(v.of[status]); ok && s >= 100 && s < 600 {
		n++
	}
	if m, _, _ := splitRequest(v.of[request]); len(m) > 0 || len(v.of[method]) > 0 {
		n++
	}
	return n
}

// or is the nearer one.
func (n *Nearest) or(format string, fault *Fault) *Nearest {
	if fault.fit > fault.Column && (n == nil || fault.fit > n.Fault.fit) {
		return &Nearest{format, fault}
	}
	return n
}

// Detect names the format that reads the most of the lines, and how many it reads. Where none reads one, it returns the nearest format of
// the first line; nil: there is none that reads a part of it. Of the configuration, what it says of times is used.
func Detect(lines []string, c Config) (name string, read int, nearest *Nearest) {
	for _, f := range allFormats {
		r, err := NewReader(Config{Format: f.name, Times: c.Times, Zone: c.Zone, Now: c.Now})
		if err != nil {
			return "", 0, nil // Its times are no layout: that is an error when the lines are read.
		}
		n, requests, named := 0, 0, false
		var l Line
		for i, line := range lines {
			if len(line) > 0 && line[0] == '#' {
				r = r.Under([]byte(line))
				continue
			}
			err := r.Read([]byte(line), &l)
			if fault, ok := errors.AsType[*Fault](err); ok && i == 0 && f.name != "varnish" && f.json == strings.HasPrefix(line, "{") {
				nearest = nearest.or(f.name, fault)
			}
			if err == nil {
				n++
				if len(l.Method) > 0 {
					requests++
				}
				named = named || len(l.Host) > 0
			}
		}
		switch {
		case f.name == "varnish" && !named, f.json && requests == 0: // Other JSON may have a time, a status and an address, too.
		case n > read:
			name, read = f.name, n
		}
	}
	if read > 0 {
		return name, read, nil
	}
	return "", 0, nearest
}
