package accesslog

import (
	"bytes"
	"fmt"
	"strings"
)

// w3c reads lines of the Extended Log File Format (www.w3.org/TR/WD-logfile), whose columns a #Fields header names: IIS, CloudFront. The
// zero value has seen no header.
type w3c struct {
	columns  []column
	date     []byte // of the header, for lines that have none
	noStatus bool   // lines have none: all are taken for 200
	noMethod bool   // lines have none: all are taken for GET
	least    int    // columns that lines have at least; 0: exactly those
}

type column struct {
	field field
	name  string
}

// w3cNames are the columns that are read. Of those of one field, the earlier one counts.
var w3cNames = []column{{date, "date"}, {clock, "time"}, {instant, "timestamp"}, {instant, "x-timestamp"}, {address, "c-ip"},
	{address, "c-dns"}, {forwarded, "x-forwarded-for"}, {forwarded, "cs(x-forwarded-for)"}, {host, "x-host-header"}, {host, "cs-host"},
	{host, "cs(host)"}, {method, "cs-method"}, {target, "cs-uri-stem"}, {target, "cs-uri"}, {query, "cs-uri-query"},
	{protocol, "cs-protocol-version"}, {protocol, "cs-version"}, {status, "sc-status"}, {size, "sc-bytes"}, {referrer, "cs(referer)"},
	{referrer, "cs-referer"}, {userAgent, "cs(user-agent)"}, {userAgent, "cs-user-agent"}, {user, "cs-username"}}

// cloudfrontRealtime are all columns of CloudFront's real-time logs, in the order of its documentation.
const cloudfrontRealtime = `timestamp c-ip s-ip time-to-first-byte sc-status sc-bytes cs-method cs-protocol cs-host cs-uri-stem cs-bytes
	x-edge-location x-edge-request-id x-host-header time-taken cs-protocol-version c-ip-version cs-user-agent cs-referer cs-cookie
	cs-uri-query x-edge-response-result-type x-forwarded-for ssl-protocol ssl-cipher x-edge-result-type fle-encrypted-fields fle-status
	sc-content-type sc-content-len sc-range-start sc-range-end c-port x-edge-detailed-result-type c-country cs-accept-encoding cs-accept
	cache-behavior-path-pattern cs-headers cs-header-names cs-headers-count`

// realtime reads lines of CloudFront's real-time logs, to which columns were added: at their end, and the server's address as the third.
type realtime struct{ with, without *w3c }

func newRealtime() parser {
	r := realtime{newW3C(cloudfrontRealtime), newW3C(strings.Replace(cloudfrontRealtime, " s-ip ", " ", 1))}
	r.with.least, r.without.least = 22, 21 // The query is the last of them that is needed.
	return r
}

func (r realtime) parse(line []byte, v *values) *Fault {
	cells := bytes.SplitN(line, []byte("\t"), 4)
	if len(cells) < 4 {
		return &Fault{Column: 1, Reason: "columns: no tabs between them"}
	}
	if bytes.Count(cells[2], []byte(".")) < 2 && bytes.IndexByte(cells[2], ':') < 0 { // Seconds.
		return r.without.parse(line, v)
	}
	return r.with.parse(line, v)
}

func newW3C(names string) *w3c {
	w := &w3c{noStatus: true, noMethod: true}
	for _, name := range strings.Fields(names) {
		w.columns = append(w.columns, column{ignored, strings.ToLower(name)})
	}
	for _, known := range w3cNames {
		for i := range w.columns {
			if w.columns[i].name == known.name {
				w.columns[i].field = known.field
				w.noStatus, w.noMethod = w.noStatus && known.field != status, w.noMethod && known.field != method
			}
		}
	}
	return w
}

// rank is which of the columns of its field a column is.
func (c column) rank() int {
	for i, known := range w3cNames {
		if known.name == c.name {
			return i
		}
	}
	return len(w3cNames)
}

// under is the format of the lines under a header line, nil where the line says nothing of them.
func (w *w3c) under(header []byte) *w3c {
	if names, ok := bytes.CutPrefix(header, []byte("#Fields:")); ok {
		next := newW3C(string(names))
		next.date = w.date
		return next
	}
	if when, ok := bytes.CutPrefix(header, []byte("#Date:")); ok {
		next := *w
		next.date = bytes.Clone(bytes.TrimSpace(when))
		next.date, _, _ = bytes.Cut(next.date, []byte(" "))
		return &next
	}
	return nil
}

func (w *w3c) parse(line []byte, v *values) *Fault {
	if len(w.columns) == 0 {
		fit := 0
		if len(line) > 19 && line[4] == '-' && line[7] == '-' && line[13] == ':' && line[16] == ':' { // 2006-01-02 15:04:05
			fit = 2
		}
		return &Fault{Column: 1, fit: fit, Reason: "columns: no #Fields line is before it: name them, as in --log-format " +
			"'#Fields: date time c-ip cs-method cs-uri-stem'"}
	}
	separator := byte(' ')
	if bytes.IndexByte(line, '\t') >= 0 {
		separator = '\t'
	}
	var ranks [fields]int
	n, at := 0, 0
	for rest := line; ; n++ {
		cell, after, more := rest, []byte(nil), false
		if i := cellEnd(rest, separator); i < len(rest) {
			cell, after, more = rest[:i], rest[i+1:], true
		}
		if n < len(w.columns) {
			w.cell(w.columns[n], cell, at, v, &ranks)
		}
		if at += len(cell) + 1; !more {
			n++
			break
		}
		rest = after
	}
	if n != len(w.columns) && (w.least == 0 || n < w.least) {
		return &Fault{Column: len(line), Reason: fmt.Sprintf("%d columns, and #Fields names %d", n, len(w.columns))}
	}
	if len(v.of[date]) == 0 {
		v.of[date] = w.date
	}
	if w.noStatus {
		v.of[status] = status200
	}
	if w.noMethod && len(v.of[target]) > 0 {
		v.of[method] = methodGet
	}
	return nil
}

// cellEnd is where a cell ends. One in quotes may hold the separator.
func cellEnd(rest []byte, separator byte) int {
	from := 0
	if len(rest) > 0 && rest[0] == '"' && separator == ' ' {
		if i := bytes.IndexByte(rest[1:], '"'); i >= 0 {
			from = i + 2
		}
	}
	if i := bytes.IndexByte(rest[from:], separator); i >= 0 {
		return from + i
	}
	return len(rest)
}

// cell keeps a cell, if its column is one of those that are read.
func (w *w3c) cell(c column, text []byte, at int, v *values, ranks *[fields]int) {
	if c.field == ignored || isDash(text) {
		return
	}
	rank := c.rank() + 1
	if before := ranks[c.field]; before != 0 && before < rank {
		return
	}
	ranks[c.field] = rank
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	v.of[c.field], v.at[c.field] = v.decoded(c.field, text), at
}

// decoded undoes what servers do to keep spaces out of a cell: + for a space (IIS), percent-encoding, once or twice (CloudFront). Targets
// and referrers are encoded themselves: of them, the second encoding is undone.
func (v *values) decoded(f field, text []byte) []byte {
	switch {
	case f == target || f == query || f == referrer:
		return v.percent(text, true)
	case f != userAgent:
		return text
	case bytes.IndexByte(text, '%') >= 0:
		return v.percent(v.percent(text, false), false)
	case bytes.IndexByte(text, ' ') < 0:
		from := len(v.scratch)
		v.scratch = append(v.scratch, text...)
		text = v.scratch[from:len(v.scratch):len(v.scratch)]
		for i := range text {
			if text[i] == '+' {
				text[i] = ' '
			}
		}
	}
	return text
}
