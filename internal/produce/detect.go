package produce

import (
	"fmt"
	"strings"
)

// Formats are the names of all formats of files.
var Formats = append([]string{"events", "ndjson", "csv", "tsv"}, Layouts...)

// ErrUnknownFormat reports lines that no format reads.
type ErrUnknownFormat struct {
	Name string // of the input
	Line string // its first
}

// Error names the formats and the remedy.
func (e *ErrUnknownFormat) Error() string {
	return Input{Name: e.Name}.blame(fmt.Errorf("the format is unknown; the first line is %s: choose one of %s with --format. Of tables and "+
		"of other JSON say which key is which with --map, as in --format csv --map timestamp=time --map visitorId=user "+
		"--set siteId=www.example.com --set type=page_view", quote(e.Line), strings.Join(Formats, ", "))).Error()
}

// Detect names the format of an input's first lines: the one that reads most of them. mapped says that the user has mapped keys: then JSON
// is ndjson, and what no format reads csv or tsv.
func Detect(in Input, mapped bool) (format string, err error) {
	lines, err := in.headLines()
	if err != nil {
		return "", err
	}
	if len(lines) == 0 {
		return "", in.blame(fmt.Errorf("there are no lines in it"))
	}
	best := 0
	for _, name := range []string{"events", "caddy", "nginx", "vhost_combined", "combined", "common"} {
		if n := reads(name, lines); n > best {
			format, best = name, n
		}
	}
	var objects reader
	for _, line := range lines {
		if _, reason := objects.object(nil, []byte(line)); reason == "" && mapped {
			return "ndjson", nil
		}
	}
	switch {
	case best > 0:
		return format, nil
	case mapped && strings.Contains(lines[0], "\t"):
		return "tsv", nil
	case mapped && strings.ContainsAny(lines[0], ",;"):
		return "csv", nil
	}
	return "", &ErrUnknownFormat{in.Name, lines[0]}
}

// reads is how many of the lines a format reads.
func reads(format string, lines []string) (n int) {
	events := Events{NeedTime: true}
	for _, text := range lines {
		line, reason := []byte(text), ""
		switch format {
		case "events":
			_, reason = events.record(line)
		case "nginx": // Other JSON logs may have a time, a status and an address, too.
			if l, bad := (&jsonLog{}).parseNginx(line); bad != "" || l.method == "" {
				reason = "no request"
			}
		default:
			_, reason = layouts[format].parse()(line)
		}
		if reason == "" {
			n++
		}
	}
	return n
}
