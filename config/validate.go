package config

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of values.
const (
	maxDays      = 36500                  // a century; never is there for more
	minInterval  = 100 * time.Millisecond // below, a step's checkpoint costs more than what it carries
	maxInterval  = 15 * time.Minute       // beyond, a takeover redoes more than it should
	hashKeyBytes = 16
)

var (
	topicName  = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)
	dynamoName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)
)

// Validate reports every fault of the configuration at once, joined: each names the field, the value, where it came
// from and what to do. It reads no file, but looks whether the files that are named can be opened.
func (c *Config) Validate() error {
	v := validator{config: c}
	v.kafka(c.Kafka)
	v.tls(c.Kafka.TLS)
	v.sasl(c.Kafka)
	v.table(c.Table)
	v.oneOf("dynamodb.client", c.DynamoDB.Client, ClientSDK, ClientDirect)
	v.events(c)
	v.mapping(c)
	v.duplicates(c.Duplicates)
	if rows := c.Breakdowns.Rows; rows < 0 || rows > maxRows {
		v.fault("breakdowns.rows", "%d is out of range: write 1 to %d values, or 0 = no breakdowns", rows, maxRows)
	}
	if n := c.Breakdowns.Bytes; n < 16<<10 || n > 350<<10 {
		v.fault("breakdowns.bytes", "%d is out of range: write %d to %d", n, 16<<10, 350<<10)
	}
	if rate := c.Bots.Rate; rate < 0 || rate > maxRate {
		v.fault("bots.rate", "%d is out of range: write 1 to %d events a minute, or 0 for no limit", rate, maxRate)
	}
	v.visits(c.Visits)
	v.sessions(c)
	v.queryParameters(c.Privacy.QueryParameters)
	v.operation(c)
	return errors.Join(v.faults...)
}

type validator struct {
	config *Config
	faults []error
}

func (v *validator) fault(path, format string, args ...any) {
	if origin := v.config.origins[path]; origin != "" {
		path += " (" + origin + ")"
	}
	v.faults = append(v.faults, fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...)))
}

func (v *validator) table(url string) {
	kind, name, _ := strings.Cut(url, "://")
	switch {
	case kind == "dynamodb" && !dynamoName.MatchString(name):
		v.fault("table", "%q is not a DynamoDB table's name: use 3 to 255 letters, digits, underscores, hyphens and dots", name)
	case kind == "sqlite" && name == "":
		v.fault("table", "%q names no file: write it as in sqlite://data/footfall.db", url)
	case kind != "dynamodb" && kind != "sqlite" || !strings.Contains(url, "://"):
		v.fault("table", "%q is not a table: write dynamodb://NAME or sqlite://PATH", url)
	}
}

func (v *validator) events(c *Config) {
	if key, err := hex.DecodeString(c.VisitorHashKey); c.VisitorHashKey != "" && (err != nil || len(key) != hashKeyBytes) {
		v.fault("visitorHashKey", "the value (not shown) is not 32 hex digits: make one with `openssl rand -hex 16`, or leave it empty")
	}
	if c.AllowedLateness != Off && (c.AllowedLateness < 0 || time.Duration(c.AllowedLateness)%time.Millisecond != 0) {
		v.fault("allowedLateness", "%v is not a number of whole milliseconds from 0 up: write it as in 48h, or off", c.AllowedLateness)
	}
	if c.AllowedEarliness < 0 || c.AllowedEarliness%time.Millisecond != 0 {
		v.fault("allowedEarliness", "%v is not a number of whole milliseconds from 0 up: write it as in 10m", c.AllowedEarliness)
	}
	seen := make(map[string]bool)
	for _, t := range c.NonInteractiveEvents {
		switch {
		case t == "" || len(t) > 64 || !utf8.ValidString(t):
			v.fault("nonInteractiveEvents", "%q is not an event type: types are 1 to 64 bytes of UTF-8", t)
		case t == "page_view":
			v.fault("nonInteractiveEvents", "page_view never ends a bounce on its own: leave it out")
		case seen[t]:
			v.fault("nonInteractiveEvents", "%q is there twice: keep one", t)
		}
		seen[t] = true
	}
	v.oneOf("sites.accept", c.Sites.Accept, "any", "registered")
	v.alertKey(c.Sites.AlertKey, c.Sites.AlertKeyFile)
	if c.Sites.MaxNewPerHour < 0 || c.Sites.MaxNewPerHour > maxNewSites {
		v.fault("sites.maxNewPerHour", "%d is out of range: write 1 to %d sites an hour, or 0 = unlimited", c.Sites.MaxNewPerHour, maxNewSites)
	}
	if c.BatchBytes < minBatchBytes || c.BatchBytes > maxBatchBytes {
		v.fault("batchBytes", "%d is out of range: write %d to %d bytes", c.BatchBytes, minBatchBytes, maxBatchBytes)
	}
	for _, r := range []struct {
		path string
		days Days
	}{
		{"retention.raw", c.Retention.Raw}, {"retention.session", c.Retention.Session},
		{"retention.hour", c.Retention.Hour}, {"retention.day", c.Retention.Day},
	} {
		if r.days != Never && (r.days < 1 || r.days > maxDays) {
			v.fault(r.path, "%v is out of range: write 1d to %dd, or never", r.days, maxDays)
		}
	}
}

// What repeats after a day is no retry. The least memory holds 2,621 positions, the most 42 million.
const (
	maxWindow       = 24 * time.Hour
	minWindowMemory = 64 << 10
	maxWindowMemory = 1 << 30
)

const maxNewSites = 100_000_000 // More than a partition has events in an hour.

// Below the range, batches of ordinary producers would be streamed. Above it, a batch is larger than the window it is streamed through.
const (
	minBatchBytes = 1 << 20
	maxBatchBytes = 16 << 20
)

const maxRows = 65_536 // More than an item holds of any dimension.

const maxRate = 65_535 // What a session's state counts up to, and more than a thousand a second.

func (v *validator) alertKey(key, file string) {
	if key+file != "" {
		v.secret("sites.alertKey", key, file)
	}
	if encoded, ok := strings.CutPrefix(key, "whsec_"); ok {
		if decoded, err := base64.StdEncoding.DecodeString(encoded); err != nil || len(decoded) == 0 {
			v.fault("sites.alertKey", "the part after whsec_ is empty or not base64: encode the key in base64, or leave whsec_ out")
		}
	}
}

func (v *validator) duplicates(d Duplicates) {
	if d.Window < 0 || d.Window > maxWindow || d.Window%time.Millisecond != 0 {
		v.fault("duplicates.window", "%v is out of range: write whole milliseconds up to %v, as in 15m, or 0 for none", spell(d.Window),
			spell(maxWindow))
	}
	if d.MemoryBytes < minWindowMemory || d.MemoryBytes > maxWindowMemory {
		v.fault("duplicates.memoryBytes", "%d is out of range: write %d to %d bytes", d.MemoryBytes, minWindowMemory, maxWindowMemory)
	}
	if d.Observe && d.Window == 0 {
		v.fault("duplicates.observe", "true, but duplicates.window is 0: give it the window that is to be measured")
	}
}

// Within these a day is sealed 23 hours after its end at the latest. Hours that are kept for two days begin to expire after
// 25; those that are kept for one are gone too soon, and of months only the sums are sealed then.
const (
	maxSealAfter    = 20 * time.Hour
	minSealInterval = time.Second
	maxSealInterval = 3 * time.Hour
)

// maxParameters bounds the list of query parameters, which each flush records.
const maxParameters = 100

var parameterName = regexp.MustCompile(`^[a-zA-Z0-9._~\[\]-]{1,63}\*?$`)

func (v *validator) queryParameters(names []string) {
	const path = "privacy.queryParameters"
	if len(names) == 0 {
		v.fault(path, "empty: write none, all, or names as in [utm_*, gclid]")
	}
	if len(names) > maxParameters {
		v.fault(path, "%d names: list %d at most", len(names), maxParameters)
	}
	for _, name := range names {
		switch {
		case (name == "all" || name == "none") && len(names) > 1:
			v.fault(path, "%q excludes other names: remove them", name)
		case !parameterName.MatchString(name):
			v.fault(path, "%q is not a name of a parameter: use up to 63 letters, digits and any of - _ . ~ [ ]; end with * for all names "+
				"with that beginning", name)
		}
	}
}

const maxVisit = 7 * 24 * time.Hour // Beyond, it is no visit.

func (v *validator) visits(x Visits) {
	gap := time.Duration(x.Gap)
	if gap < 0 || gap > maxVisit || gap%time.Millisecond != 0 {
		v.fault("visits.gap", "%v is out of range: write whole milliseconds up to %v, as in 30m, or off", x.Gap, spell(maxVisit))
	}
	if longest := x.Longest; longest > 0 && longest < gap && gap <= maxVisit {
		v.fault("visits.longest", "%v is shorter than visits.gap, %v: two events that lie a gap apart would be too far apart for a visit: "+
			"write %v or more, "+
			"or a shorter gap", spell(longest), x.Gap, x.Gap)
	}
	if x.Longest <= 0 || x.Longest > maxVisit || x.Longest%time.Millisecond != 0 {
		v.fault("visits.longest", "%v is out of range: write whole milliseconds up to %v, as in 24h", spell(x.Longest), spell(maxVisit))
	}
}

// sessions refuses to let a session expire while an event may still be of it, or move its start: what it counted would
// depend on whether it is still in some process's memory.
func (v *validator) sessions(c *Config) {
	days := c.Retention.Session
	if days < 1 || days > maxDays || c.AllowedLateness < 0 && c.AllowedLateness != Off {
		return // Never, or a fault of its own.
	}
	switch least := c.LeastSessionDays(); {
	case least == Never:
		v.fault("retention.session", "%v is too short: with allowedLateness %v an event of any age may still belong to a session: write "+
			"never, or a shorter allowedLateness",
			days, c.AllowedLateness)
	case days < least:
		v.fault("retention.session", "%v is too short: with allowedLateness %v and visits.gap %v an event may still belong to a session that "+
			"old: "+
			"write %v or more, or never", days, c.AllowedLateness, c.Visits.Gap, least)
	}
}

// waiting is how long records may wait in the topic before a session that they are of expires: a process that is down
// for a night.
const waiting = 12 * time.Hour

const day = 24 * time.Hour

// LeastSessionDays returns how long sessions must be kept, for each event to find the one that it is of: an event may be as
// old as the lateness allows when it is published, its visit may have ended a gap before it, and its record may wait. At the
// defaults that is 60.5 hours, 3 days. Never: no number of days is enough.
func (c *Config) LeastSessionDays() Days {
	late := time.Duration(c.AllowedLateness)
	if c.AllowedLateness == Off || late > maxDays*day { // Beyond, the sum might not fit.
		return Never
	}
	least := Days((late + time.Duration(c.Visits.Gap) + waiting + day - 1) / day)
	if least > maxDays {
		return Never
	}
	return least
}

func (v *validator) operation(c *Config) {
	for _, i := range []struct {
		path string
		span time.Duration
	}{{"intervals.stats", c.Intervals.Stats}, {"intervals.realtime", c.Intervals.Realtime}} {
		if i.span < minInterval || i.span > maxInterval {
			v.fault(i.path, "%v is out of range: write %v to %v", spell(i.span), spell(minInterval), spell(maxInterval))
		}
	}
	if i := c.Intervals.RealtimeMax; i != 0 && (i < c.Intervals.Realtime || i > maxInterval) {
		v.fault("intervals.realtimeMax", "%v is out of range: write intervals.realtime, which is %v, to %v, or 0s for the same interval always",
			spell(i), spell(c.Intervals.Realtime), spell(maxInterval))
	}
	if c.Seal.After < 0 || c.Seal.After > maxSealAfter {
		v.fault("seal.after", "%v is out of range: write 0s to %v", spell(c.Seal.After), spell(maxSealAfter))
	}
	if i := c.Seal.Interval; i != 0 && (i < minSealInterval || i > maxSealInterval) {
		v.fault("seal.interval", "%v is out of range: write %v to %v, or 0s to seal nothing", spell(i), spell(minSealInterval),
			spell(maxSealInterval))
	}
	for _, l := range []struct {
		path        string
		value       int
		least, most int
	}{
		{"limits.memoryBytes", c.Limits.MemoryBytes, 1 << 20, 1 << 40},
		{"limits.fetchedBytes", c.Limits.FetchedBytes, 1 << 20, 1 << 40},
		{"limits.flushBytes", c.Limits.FlushBytes, 64 << 10, 1 << 30},
		{"limits.flushItems", c.Limits.FlushItems, 1, 1_000_000},
		{"limits.queueBytes", c.Limits.QueueBytes, 64 << 10, 1 << 30},
		{"limits.chunksAhead", c.Limits.ChunksAhead, 0, 64},
		{"limits.cacheBytes", c.Limits.CacheBytes, 64 << 10, 1 << 40},
		{"limits.inFlight", c.Limits.InFlight, 1, 10_000},
	} {
		if l.value < l.least || l.value > l.most {
			v.fault(l.path, "%d is out of range: write %d to %d", l.value, l.least, l.most)
		}
	}
	if c.HTTP != "" {
		if err := hostPort(c.HTTP, false); err != nil {
			v.fault("http", "%q is not an address (%v): write it as in :8080 or 127.0.0.1:8080, or leave it empty", c.HTTP, err)
		}
	}
	v.oneOf("log.format", c.Log.Format, "text", "json")
	v.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
}
