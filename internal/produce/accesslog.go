package produce

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/visitorid"
)

// AccessLog is the format of access logs of Apache, nginx and Caddy. Make one with NewAccessLog.
//
// A line becomes one event: of type page_view, download or asset (see kindOf), with the time of the line, the
// request target as url, referrer, user agent, and {status, bytes, method, protocol} as properties. Addresses are
// not kept: the visitorId is a hash of site, address and user agent, made by package visitorid. A log has no ids of
// events, so none are made: sending a file twice counts it twice.
//
// Sessions are a visitor's runs of lines with gaps of at most 30 minutes, found in one pass in the order of the log
// by the lines' own times: a line joins the latest visit that it is at most 30 minutes before, within or after,
// else begins one. Lines that step back, as servers write them that log a request when it ends, are thus no gap.
//
// Midnight cuts no session, though a visitor's id changes there with a daily salt: the sessions are those that one salt
// for all days would give. An event has the visitorId of its own day and the sessionId of its visit. All of a visit
// have the Kafka key of the id that it began under, so that one partition sees them.
type AccessLog struct {
	parse   func(line []byte) (logLine, string)
	fields  []field
	site    string
	buckets int
	ids     *visitorid.Derived
	salt    Salt
	visits  visits
}

// AccessLogConfig says what NewAccessLog makes.
type AccessLogConfig struct {
	Layout string // one of Layouts; "": combined
	// Set are FIELD=TEXT, the same for every line; fields that the log gives are refused. siteId is required unless the layout names hosts:
	// then it is in place of them.
	Set []string
	// HashKey is the secret that the visitorIds' salts are computed from, visitorid.MinSecretBytes or more: whoever
	// has it can find the addresses. Empty: a random one that is kept nowhere. Then nobody can once the format is
	// gone; but no other run has the same ids, so that a visitor of a day whose log is sent in two runs counts twice.
	HashKey []byte
	Salt    Salt
	Buckets int // of the key
}

// Salt says for how long a visitor of a log keeps his id. The zero value is DailySalt.
type Salt int

const (
	// DailySalt gives a visitor another id on each UTC day. Uniques of a day are visitors, those of a longer range
	// visitor-days.
	DailySalt Salt = iota
	// FixedSalt gives a visitor one id for all days, by which he can be followed through them.
	FixedSalt
)

// ParseSalt reads daily or fixed.
func ParseSalt(s string) (Salt, error) {
	switch s {
	case "daily":
		return DailySalt, nil
	case "fixed":
		return FixedSalt, nil
	}
	return 0, fmt.Errorf("salt %q: choose daily or fixed", s)
}

// Layouts are those of access logs:
//
//	combined        of Apache and nginx: address, time, request, status, bytes, referrer, user agent
//	common          the Common Log Format: the same without referrer and user agent
//	vhost_combined  of Apache: the virtual host and its port, and then combined
//	caddy           of Caddy: JSON
//	nginx           of nginx with escape=json: JSON whose keys are names of nginx's variables
var Layouts = []string{"combined", "common", "vhost_combined", "caddy", "nginx"}

// layouts read a line, and say whether it names the host that was asked.
var layouts = map[string]struct {
	parse func() func(line []byte) (logLine, string)
	hosts bool
}{
	"combined":       {func() func([]byte) (logLine, string) { return parseCombined }, false},
	"common":         {func() func([]byte) (logLine, string) { return parseCommon }, false},
	"vhost_combined": {func() func([]byte) (logLine, string) { return parseVhostCombined }, true},
	"caddy":          {func() func([]byte) (logLine, string) { return new(jsonLog).parseCaddy }, true},
	"nginx":          {func() func([]byte) (logLine, string) { return new(jsonLog).parseNginx }, true},
}

// fromLog are the fields that a line of a log gives.
var fromLog = []string{"type", "timestamp", "id", "visitorId", "sessionId", "url", "referrer", "userAgent", "properties"}

type field struct{ name, text string }

// NewAccessLog checks the configuration and names everything that is wrong with it.
func NewAccessLog(c AccessLogConfig) (*AccessLog, error) {
	f := &AccessLog{buckets: c.Buckets, salt: c.Salt, visits: visits{of: make(map[string][]*visited)}}
	key := c.HashKey
	if len(key) == 0 {
		key = make([]byte, visitorid.MinSecretBytes)
		rand.Read(key) // Never fails (crypto/rand).
	}
	var faults []error
	var err error
	layout, ok := layouts[cmp.Or(c.Layout, Layouts[0])]
	if !ok {
		return nil, fmt.Errorf("layout %q: choose one of %s", c.Layout, strings.Join(Layouts, ", "))
	}
	f.parse = layout.parse()
	if f.ids, err = visitorid.NewDerived(key); err != nil {
		faults = append(faults, fmt.Errorf("hash key: %w", err))
	}
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
	if f.site == "" && !layout.hosts || len(f.site) > 128 {
		faults = append(faults, errors.New("siteId is missing or longer than 128 bytes: the log does not name its site: name it with "+
			"--set siteId=www.example.com"))
	}
	return f, errors.Join(faults...)
}

func (f *AccessLog) record(line []byte) (Record, string) {
	l, reason := f.parse(line)
	if reason != "" {
		return Record{}, reason
	}
	if l.host, reason = f.siteOf(l); reason != "" {
		return Record{}, reason
	}
	ids, err := f.visitor(l)
	if err != nil {
		return Record{}, err.Error()
	}
	visit := f.visits.visit(ids, l.time)
	e := newEvent(l.host, kindOf(l), l.time)
	e.text("visitorId", ids[0])
	e.text("sessionId", visit.id)
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
	r := e.record(visit.visitor, f.buckets, l.time)
	return r, tooLarge(r)
}

func (f *AccessLog) when(line []byte) (time.Time, bool) {
	l, reason := f.parse(line)
	return l.time, reason == ""
}

// siteOf is the siteId of a line: the one that is set, or the host without its port, in lower case.
func (f *AccessLog) siteOf(l logLine) (site, reason string) {
	if f.site != "" {
		return f.site, ""
	}
	if site = l.host; strings.LastIndexByte(site, ':') > strings.LastIndexByte(site, ']') {
		site = site[:strings.LastIndexByte(site, ':')]
	}
	site = strings.ToLower(strings.TrimSuffix(site, "."))
	if site == "" || len(site) > 128 {
		return "", "host: " + quote(l.host) + " is empty or longer than 128 bytes: name the site of all lines with --set siteId=www.example.com"
	}
	return site, ""
}

// visitor returns the ids of a line's visitor: that of the line's own time, and after it, near midnight, the one that
// he has within a session's gap.
func (f *AccessLog) visitor(l logLine) (ids []string, err error) {
	v := visitorid.Visitor{Site: l.host, Address: l.address, UserAgent: l.userAgent}
	days := []time.Time{l.time}
	switch before, after := l.time.Add(-sessionGap), l.time.Add(sessionGap); {
	case f.salt == FixedSalt:
		days[0] = time.Unix(0, 0) // The salt of one day, for all.
	case before.Day() != l.time.Day():
		days = append(days, before)
	case after.Day() != l.time.Day():
		days = append(days, after)
	}
	for _, day := range days {
		id, err := f.ids.ID(v, day)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
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
