package produce

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/footfall/footfall/internal/accesslog"
)

// A log of one host does not name it, but the referrers of its own pages do: most requests for parts of pages have one.

// ownHostLines is how many of the first lines of an input are asked for the host, and ownHostLeast how many of them must name it.
const (
	ownHostLines = 1000
	ownHostLeast = 5
)

// ownHost is the host, without www., that most referrers of the logs' own pages name: those whose path another line asks for. It is empty
// if that are few, or less than half of them. Logs whose lines name their hosts from the first on are not asked.
func ownHost(inputs []Input) string {
	asked, named := make(map[string]bool), make(map[string]map[string]int) // paths; hosts, then how often each path is named
	for _, in := range inputs {
		format, ok := in.format().(*AccessLog)
		if !ok || format.site != "" {
			continue
		}
		lines, _ := in.headLines(ownHostLines) // What cannot be read is an error when it is opened.
		var l accesslog.Line
		for _, line := range lines {
			if line[0] == '#' {
				format = format.under([]byte(line)).(*AccessLog)
				continue
			}
			if format.lines.Read([]byte(line), &l) != nil || len(l.Host) > 0 && !format.oneSite {
				continue
			}
			path, _, _ := bytes.Cut(l.Target, []byte("?"))
			asked[string(path)] = true
			if from, err := url.Parse(string(l.Referrer)); err == nil && from.Host != "" {
				host := strings.TrimPrefix(strings.ToLower(from.Hostname()), "www.")
				if named[host] == nil {
					named[host] = make(map[string]int)
				}
				named[host][from.EscapedPath()]++
			}
		}
	}
	own, most, all := "", 0, 0
	for host, paths := range named {
		n := 0
		for path, times := range paths {
			if asked[path] {
				n += times
			}
		}
		if all += n; n > most {
			own, most = host, n
		}
	}
	if most < ownHostLeast || most*2 <= all || len(own) > 128 || !strings.Contains(own, ".") {
		return ""
	}
	return own
}

// usedSite is the site of lines that name none, if there were any.
func (f *AccessLog) usedSite() string {
	if f.unnamed {
		return f.usual
	}
	return ""
}

// FindSite makes the logs' own host the site of lines that name none, if there is one.
func FindSite(inputs []Input) {
	host := ownHost(inputs)
	for _, in := range inputs {
		if log, ok := in.Format.(*AccessLog); ok && host != "" {
			log.usual = host
		}
	}
}
