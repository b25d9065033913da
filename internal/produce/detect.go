package produce

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/eventjson"
)

// Formats are the names of all formats of files.
var Formats = append([]string{"events", "ndjson", "csv", "tsv"}, accesslog.Names...)

// ErrUnknownFormat reports lines that no format reads.
type ErrUnknownFormat struct {
	Name    string             // of the input
	Line    string             // its first
	Nearest *accesslog.Nearest // the format that reads the most of it; nil: none reads a part
}

// Error names the formats and the remedy.
func (e *ErrUnknownFormat) Error() string {
	nearest := ""
	if e.Nearest != nil {
		nearest = "; " + e.Nearest.String()
	}
	return Input{Name: e.Name}.blame(fmt.Errorf("the format is unknown; the first line is %s%s: choose one of %s with --format, or say how "+
		"the lines of an access log look with --log-format, in the words of nginx, Apache or GoAccess. Of tables and "+
		"of other JSON say which key is which with --map, as in --format csv --map timestamp=time --map visitorId=user "+
		"--set siteId=www.example.com --set type=page_view", eventjson.Quote(e.Line), nearest, strings.Join(Formats, ", "))).Error()
}

// Detect names the format of an input's first lines: the one that reads most of them. mapped says that the user has mapped keys: then JSON
// is ndjson, and what no format reads csv or tsv. The configuration says what times of access logs look like.
func Detect(in Input, mapped bool, c accesslog.Config) (format string, err error) {
	lines, err := in.headLines(maxHeadLines)
	if err != nil {
		return "", err
	}
	if len(lines) == 0 {
		return "", in.blame(fmt.Errorf("there are no lines in it"))
	}
	events := readEvents(lines)
	format, best, nearest := accesslog.Detect(lines, c)
	if events > 0 && events >= best {
		format, best = "events", events
	}
	var objects eventjson.Reader
	for _, line := range lines {
		if _, reason := objects.Object(nil, []byte(line)); reason == "" && mapped {
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
	if err := refuseSums(headerOf(lines[0]), nil); err != nil {
		return "", in.blame(err)
	}
	return "", &ErrUnknownFormat{in.Name, lines[0], nearest}
}

// readEvents is how many of the lines are events.
func readEvents(lines []string) (n int) {
	events := Events{NeedTime: true}
	for _, line := range lines {
		if _, reason := events.record([]byte(line)); reason == "" {
			n++
		}
	}
	return n
}
