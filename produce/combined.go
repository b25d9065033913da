package produce

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Combined is the format of access logs of Apache and nginx. Make one with NewCombined.
//
// A line becomes one event: of type page_view, download or asset (see kindOf), with the time of the line, the
// request target as url, referrer, user agent, and {status, bytes, method, protocol} as properties. Addresses are
// not kept: the visitorId is 128 bits of HMAC-SHA-256 of address and user agent under a key. A log has no ids of
// events, so none are made: sending a file twice counts it twice.
//
// Sessions are a visitor's runs of lines with gaps of at most 30 minutes, found in one pass in the order of the log
// by the lines' own times: a line joins the latest visit that it is at most 30 minutes before, within or behind,
// else begins one. Lines that step back, as servers write them that log a request when it ends, are thus no gap.
type Combined struct {
	fields  []field
	site    string
	buckets int
	mac     hash.Hash
	visits  visits
}

// CombinedConfig says what NewCombined makes.
type CombinedConfig struct {
	Set     []string // FIELD=TEXT, the same for every line; siteId is required, fields that the log gives are refused
	HashKey []byte   // of the visitorIds. empty: the well-known key, see DefaultHashKey
	Buckets int      // of the key
}

// DefaultHashKey is the key of visitorIds where none is given. It makes runs comparable, since a visitor has the
// same id in each; but whoever has the log's ids can find the address behind one by trying all. Use a key of your
// own where that matters.
const DefaultHashKey = "footfall: access log visitors"

// fromLog are the fields that a line of a log gives.
var fromLog = []string{"type", "timestamp", "id", "visitorId", "sessionId", "url", "referrer", "userAgent", "properties"}

type field struct{ name, text string }

// NewCombined checks the configuration and names everything that is wrong with it.
func NewCombined(c CombinedConfig) (*Combined, error) {
	f := &Combined{buckets: c.Buckets, visits: visits{of: make(map[string][]span)}}
	key := c.HashKey
	if len(key) == 0 {
		key = []byte(DefaultHashKey)
	}
	f.mac = hmac.New(sha256.New, key)
	var faults []error
	for _, a := range c.Set {
		name, text, err := assign("set", a)
		switch {
		case err != nil:
			faults = append(faults, err)
		case slices.Contains(fromLog, name):
			faults = append(faults, fmt.Errorf("--set %s: %s comes from the log's lines: leave it out", a, name))
		case name == "value":
			faults = append(faults, fmt.Errorf("--set %s: a request has no value of its own: leave it out", a))
		case name == "siteId":
			f.site = text
		default:
			f.fields = append(f.fields, field{name, text})
		}
	}
	if f.site == "" || len(f.site) > 128 {
		faults = append(faults, errors.New("no siteId of 1 to 128 bytes: a log does not name its site; say it with --set siteId=www.example.com"))
	}
	return f, errors.Join(faults...)
}

func (f *Combined) record(line []byte) (Record, string) {
	l, reason := parseLogLine(string(line))
	if reason != "" {
		return Record{}, reason
	}
	visitor := f.visitor(l)
	e := newEvent(f.site, kindOf(l), l.time)
	e.text("visitorId", visitor)
	e.text("sessionId", f.visits.session(visitor, l.time))
	e.text("url", l.target)
	e.text("referrer", l.referrer)
	e.text("userAgent", l.userAgent)
	for _, x := range f.fields {
		e.text(x.name, x.text)
	}
	properties := `{"status":` + strconv.FormatInt(l.status, 10) + `,"bytes":` + strconv.FormatInt(l.bytes, 10)
	if l.method != "" {
		properties += `,"method":"` + l.method + `","protocol":"` + l.protocol + `"`
	}
	e.raw("properties", properties+"}")
	r := e.record(visitor, f.buckets, l.time)
	return r, tooLarge(r)
}

// visitor hashes address and user agent, each with its length so that no two pairs are the same bytes.
func (f *Combined) visitor(l logLine) string {
	f.mac.Reset()
	fmt.Fprintf(f.mac, "%d:%s%d:%s", len(l.address), l.address, len(l.userAgent), l.userAgent)
	return hex.EncodeToString(f.mac.Sum(nil)[:16])
}

// Types of an access log's events.
const (
	pageView = "page_view"
	download = "download"
	asset    = "asset"
)

// kindOf tells what a request was for. A page_view is a GET or POST that was answered with a page: a status of 2xx,
// or 304 for one that the browser still had, and a path whose extension is neither an asset's nor a download's. A
// download is the same for a download's extension. All else is an asset: what pages are made of, robots.txt, feeds,
// redirects, errors, HEAD and OPTIONS.
func kindOf(l logLine) string {
	served := l.status >= 200 && l.status < 300 || l.status == 304
	if !served || l.method != "GET" && l.method != "POST" {
		return asset
	}
	target, _, _ := strings.Cut(l.target, "?")
	name := strings.ToLower(path.Base(target))
	ext := strings.TrimPrefix(path.Ext(name), ".")
	switch {
	case slices.Contains(assetNames, name), slices.Contains(assetExtensions, ext):
		return asset
	case slices.Contains(downloadExtensions, ext):
		return download
	}
	return pageView
}

var (
	assetNames      = []string{"robots.txt", "ads.txt", "humans.txt", "security.txt"}
	assetExtensions = strings.Fields(`atom avif bmp class cur css eot gif ico jpe jpeg jpg js json map mjs otf png rdf rss svg svgz
		swf tif tiff ttf wasm webmanifest webp woff woff2 xml xsl`)
	downloadExtensions = strings.Fields(`7z aac apk avi azw3 bin bz2 csv deb dmg doc docx epub exe flac flv gz gzip img iso jar
		key m4a m4v md5 mobi mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv pdf pkg ppt pptx ps rar rpm rtf sha256 sig sql tar
		tbz tgz txt wav webm wma wmv xls xlsx xpi xz z zip zst`)
)
