package produce

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/sketch"
	"github.com/footfall/footfall/visitorid"
)

// AccessLog is the format of access logs, whose lines package accesslog reads. Make one with NewAccessLog.
//
// A line becomes one event: of type page_view, download or asset (see judge), with the time of the line, the request target as url,
// referrer, user agent, and {status, bytes, method, protocol} as properties. Addresses are not kept: the visitorId is a hash of site,
// address and user agent, made by package visitorid. A log has no ids of events, so none are made: sending a file twice counts it twice.
//
// Lines that are no page view and no download are left out and counted, unless CountAssets says otherwise. So a visitor who only fetched a
// feed, or found no page, has no session. This is what Matomo's importer of logs does, and what scripts in pages count.
//
// Sessions are a visitor's runs of lines with gaps of at most 30 minutes, found in one pass in the order of the log
// by the lines' own times: a line joins the latest visit that it is at most 30 minutes before, within or after,
// else begins one. Lines that step back, as servers write them that log a request when it ends, are thus no gap.
//
// Midnight cuts no session, though a visitor's id changes there with a daily salt: the sessions are those that one salt
// for all days would give. An event has the visitorId of its own day and the sessionId of its visit. All of a visit
// have the Kafka key of the id that it began under, so that one partition sees them.
type AccessLog struct {
	*logSettings
	lines   *accesslog.Reader
	line    accesslog.Line
	oneSite bool // the first header named no host: that of a later one is no other site
}

// logSettings are what all lines of a log have in common, whatever is written above them.
type logSettings struct {
	fields  []field
	site    string
	usual   string // the site of lines that name none
	unnamed bool   // there was such a line
	all     bool
	buckets int
	ids     *visitorid.Derived
	salt    Salt
	visits  visits

	room, properties []byte // for the JSON of an event

	statuses statuses

	visitorIDs map[string]string // that were made lately, by visitorKey
	visitorKey []byte            // day, site, address and user agent
}

// AccessLogConfig says what NewAccessLog makes.
type AccessLogConfig struct {
	// Lines says how lines are read.
	Lines accesslog.Config
	// Set are FIELD=TEXT, the same for every line; fields that the log gives are refused. siteId is required unless the format names hosts:
	// then it is in place of them.
	Set []string
	// Site is the site of lines that name no host; "": there must be a siteId, or a host.
	Site string
	// HashKey is the secret that the visitorIds' salts are computed from, visitorid.MinSecretBytes or more: whoever
	// has it can find the addresses. Empty: a random one that is kept nowhere. Then nobody can once the format is
	// gone; but no other run has the same ids, so that a visitor of a day whose log is sent in two runs counts twice.
	HashKey []byte
	Salt    Salt
	Buckets int // of the key
	// CountAssets makes events of all lines, also of assets, errors and what is no request.
	CountAssets bool
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

// fromLog are the fields that a line of a log gives.
var fromLog = []string{"type", "timestamp", "id", "visitorId", "sessionId", "url", "referrer", "userAgent", "properties"}

type field struct{ name, text string }

// NewAccessLog checks the configuration and names everything that is wrong with it.
func NewAccessLog(c AccessLogConfig) (*AccessLog, error) {
	f := &logSettings{buckets: c.Buckets, salt: c.Salt, all: c.CountAssets, usual: c.Site, visits: visits{of: make(map[string][]*visited)},
		visitorIDs: make(map[string]string), statuses: statuses{notFound: sketch.NewTop(notFoundRows)}}
	key := c.HashKey
	if len(key) == 0 {
		key = make([]byte, visitorid.MinSecretBytes)
		rand.Read(key) // Never fails (crypto/rand).
	}
	lines, err := accesslog.NewReader(c.Lines)
	if err != nil {
		return nil, err
	}
	var faults []error
	if f.ids, err = visitorid.NewDerived(key); err != nil {
		faults = append(faults, fmt.Errorf("hash key: %w", err))
	}
	for _, a := range c.Set {
		name, text, err := mapping.Assign("set", a)
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
	if f.site == "" && f.usual == "" && !lines.NamesHosts() || len(f.site) > 128 {
		faults = append(faults, errors.New("siteId is missing or longer than 128 bytes: the log does not name its site: name it with "+
			"--set siteId=www.example.com"))
	}
	return &AccessLog{logSettings: f, lines: lines}, errors.Join(faults...)
}

// Lacks says what the lines' layout has no word for, and what follows from that.
func (f *AccessLog) Lacks() []string { return f.lines.Lacks() }

// under is the format of the lines after a line that begins with #, which may name their columns.
func (f *AccessLog) under(header []byte) Format {
	return &AccessLog{logSettings: f.logSettings, lines: f.lines.Under(header), oneSite: f.oneSite || !f.lines.NamesHosts()}
}

// at is the format of a log that was written until this time.
func (f *AccessLog) at(end time.Time) Format {
	return &AccessLog{logSettings: f.logSettings, lines: f.lines.At(end)}
}

func (f *AccessLog) record(line []byte) (Record, string) {
	l := &f.line
	if err := f.lines.Read(line, l); err == accesslog.ErrSkip {
		return Record{left: leftComment}, ""
	} else if err != nil {
		return Record{}, err.Error()
	}
	f.countStatus(l)
	kind, left := judge(l)
	if left != "" && !f.all {
		return Record{left: left}, ""
	}
	site, reason := f.siteOf(l)
	if reason != "" {
		return Record{}, reason
	}
	ids, err := f.visitor(site, l)
	if err != nil {
		return Record{}, err.Error()
	}
	visit := f.visits.visit(ids, l.Time)
	e := eventjson.New(f.room, site, kind, l.Time)
	e.Text("visitorId", ids[0])
	e.Text("sessionId", visit.id)
	e.Bytes("url", l.Target)
	e.Bytes("referrer", l.Referrer)
	e.Bytes("userAgent", l.UserAgent)
	for _, x := range f.fields {
		e.Text(x.name, x.text)
	}
	f.properties = strconv.AppendInt(append(f.properties[:0], `{"status":`...), l.Status, 10)
	f.properties = strconv.AppendInt(append(f.properties, `,"bytes":`...), l.Bytes, 10)
	if len(l.Method) > 0 {
		f.properties = append(append(append(f.properties, `,"method":"`...), l.Method...), '"')
	}
	if len(l.Protocol) > 0 {
		f.properties = append(append(append(f.properties, `,"protocol":"`...), l.Protocol...), '"')
	}
	e.Raw("properties", string(append(f.properties, '}')))
	r := record(&e, visit.visitor, f.buckets, l.Time)
	f.room = r.Value
	return r, tooLarge(r)
}

func (f *AccessLog) when(line []byte) (time.Time, bool) {
	err := f.lines.Read(line, &f.line)
	return f.line.Time, err == nil
}

// siteOf is the siteId of a line: the one that is set, or the host without its port, in lower case.
func (f *AccessLog) siteOf(l *accesslog.Line) (site, reason string) {
	if f.site != "" {
		return f.site, ""
	}
	if site = string(l.Host); strings.LastIndexByte(site, ':') > strings.LastIndexByte(site, ']') {
		site = site[:strings.LastIndexByte(site, ':')]
	}
	site = strings.ToLower(strings.TrimSuffix(site, "."))
	if site == "" || f.oneSite && f.usual != "" {
		site, f.unnamed = f.usual, true
	}
	if site == "" || len(site) > 128 {
		return "", "host: " + eventjson.Quote(string(l.Host)) + " is empty or longer than 128 bytes: name the site of all lines with --set " +
			"siteId=www.example.com"
	}
	return site, ""
}

// visitor returns the ids of a line's visitor: that of the line's own time, and after it, near midnight, the one that
// he has within a session's gap.
func (f *AccessLog) visitor(site string, l *accesslog.Line) (ids []string, err error) {
	days := []time.Time{l.Time}
	switch before, after := l.Time.Add(-sessionGap), l.Time.Add(sessionGap); {
	case f.salt == FixedSalt:
		days[0] = time.Unix(0, 0) // The salt of one day, for all.
	case before.Day() != l.Time.Day():
		days = append(days, before)
	case after.Day() != l.Time.Day():
		days = append(days, after)
	}
	for _, day := range days {
		id, err := f.visitorID(l, site, day)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// visitorID is the id of a line's visitor on a day.
func (f *AccessLog) visitorID(l *accesslog.Line, site string, day time.Time) (string, error) {
	k := binary.AppendVarint(f.visitorKey[:0], day.Unix()/86_400)
	k = append(append(append(append(append(k, site...), 0), l.Address...), 0), l.UserAgent...)
	f.visitorKey = k
	if id, ok := f.visitorIDs[string(k)]; ok {
		return id, nil
	}
	id, err := f.ids.ID(visitorid.Visitor{Site: site, Address: string(l.Address), UserAgent: string(l.UserAgent)}, day)
	if err != nil {
		return "", err
	}
	if len(f.visitorIDs) == visitorsKnown {
		clear(f.visitorIDs)
	}
	f.visitorIDs[string(k)] = id
	return id, nil
}

// visitorsKnown is how many ids of visitors are kept, some 300 bytes each: making one takes as long as reading a line.
const visitorsKnown = 4096
