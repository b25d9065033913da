// Package files opens files of events and access logs as flags name them, and finds their formats.
package files

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/produce"
)

// formatAuto is the format that the first lines of the files decide.
const formatAuto = "auto"

// FormatsHelp is said wherever a format can be named.
const FormatsHelp = `  events          events in the format of docs/events.md, one JSON object per line, sent unchanged.
  ndjson          any JSON objects, with a mapping. --map FIELD=KEY takes a key of the line: a.b is the b in a, a[0] or a.0 the first
                  of a. --map 'FIELD=TEMPLATE' inserts keys into a text, as in url=/wiki/{page}; in a url they are percent-encoded.
                  {+page} inserts a key as it stands, {?a,b} inserts ?a=...&b=..., and a null is nothing there, as in RFC 6570.
                  a|b takes the first of two keys that has a value, kind==page=>page_view|kind another text for one value.
                  --preset umami, or that of another product, has a mapping ready; --map and --set come before it.
                  --set FIELD=TEXT sets the same value in every line. --default FIELD=TEXT is for lines in which the mapped key is
                  missing, null or empty. --properties rest makes properties of all keys that no --map names. A line without a mapped
                  key is refused, unless the field has a default or the mapping a question mark: country=geo.country?. A null value
                  makes no field. Timestamps are RFC 3339 or milliseconds; --time-unit reads seconds, microseconds and nanoseconds,
                  --time-layout other texts, with the directives of strptime (%d/%b/%Y:%H:%M:%S %z) or in Go's form.
  csv, tsv        rows under a header, whose names are the keys, with a mapping as for ndjson. Columns of csv are separated by commas, or
                  by semicolons if the header has more of them. A row is one line. Empty cells are null. Only above the header, lines
                  that begin with # are comments. Exports of sums are refused; docs/import.md has commands for those of single hits.
  combined        access logs of Apache and nginx, also with more fields at the end: ingress-nginx, Traefik. --set siteId=... names the
                  site.
  common          the Common Log Format: combined without referrer and user agent, so that a visitor is an address.
  vhost_combined, vhost_common  the same after a virtual host, with or without its port. The host is the siteId, as in the following.
  varnish, lighttpd, haproxy, squid, envoy, istio  as these write them by default; haproxy with option httplog.
  alb, elb, s3    of AWS: load balancers, the classic one, and buckets.
  w3c             columns by a #Fields line, which may change: IIS, CloudFront. cloudfront-realtime has all columns and no such line.
  caddy, nginx, traefik-json, envoy-json, apigateway, cloudflare, cloudfront-json, fastly, vercel  JSON, one object per line. Keys of nginx
                  are names of its variables, those of the others as their documentation has them.

--log-format reads all other access logs: a log_format of nginx ('$remote_addr [$time_iso8601] "$request" $status'), a LogFormat of Apache
('%h %l %u %t "%r" %>s'), one of GoAccess ('%h %^[%d:%t %^] "%r" %s'), or a #Fields line. What syslog, journalctl, Docker and Kubernetes
write before a line is taken off. With --format auto, a file may have access logs of several formats.

A line of an access log becomes a page_view, a download or an asset, by extension and status. --set siteId=... replaces the hosts. Clients
choose the host that they ask for: sites.maxNewPerHour bounds how many become sites. The visitorId is a hash of site, address and user
agent; addresses are not stored. With --visitor-salt daily, a visitor has another id on each UTC day: uniques of a day are visitors,
uniques of a longer range are visitor-days. With fixed, a visitor has one id for all days and can be followed. Sessions continue across
midnight in both cases, and end after 30 minutes without a line. The salts are computed from --visitor-hash-key, or visitorHashKey in the
configuration, 16 bytes or more; the owner of the key can find addresses by trying all. There are no event ids: a log that is sent
twice counts twice.

Assets are the parts of pages, feeds, health checks, and requests that got no page: a redirect, an error such as a 404, a HEAD. They are
left out and counted, so that a client without a page has no session. With --count-assets they are events and belong to sessions, but are
no page views and do not end a bounce (nonInteractiveEvents). Status, bytes, method and protocol are properties of the event: footfall site
update SITE --property status makes the status of later events a dimension, which footfall query top SITE property:status shows.`

// Flags are the flags that say how the lines of files become events.
type Flags struct {
	format, preset, properties     string
	maps, sets, defaults           []string
	timeUnit, timeLayout, timeZone string
	decimalComma                   bool
	logFormat                      string
	countAssets                    bool
	hashKey, visitorSalt           string
	sort                           int
}

// mappingFlags and accessLogFlags are those for some formats only.
var (
	mappingFlags   = []string{"preset", "map", "default", "properties", "time-unit", "decimal-comma"}
	timeFlags      = []string{"time-layout", "time-zone"}
	accessLogFlags = []string{"visitor-hash-key", "visitor-salt", "count-assets", "log-format"}
	FlagNames      = slices.Concat([]string{"format", "set", "sort"}, mappingFlags, timeFlags, accessLogFlags)

	mappedFormats = []string{"ndjson", "csv", "tsv"}
)

// AddFlags adds the flags to a command.
func (p *Flags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.format, "format", formatAuto, "format of the files: "+strings.Join(produce.Formats, ", ")+
		"; auto = by the first lines of each")
	f.StringArrayVar(&p.maps, "map", nil, "ndjson, csv, tsv: FIELD=KEY or FIELD=TEMPLATE (repeat)")
	f.StringVar(&p.preset, "preset", "", "ndjson, csv, tsv: mapping of another product's records: "+command.Either(mapping.Presets()))
	f.StringArrayVar(&p.sets, "set", nil, "all but events: FIELD=TEXT, the same for every line (repeat)")
	f.StringArrayVar(&p.defaults, "default", nil, "ndjson, csv, tsv: FIELD=TEXT for lines whose mapped key is missing, null or empty (repeat)")
	f.StringVar(&p.properties, "properties", "", "ndjson, csv, tsv: rest = make properties of the keys that are not mapped")
	f.StringVar(&p.timeUnit, "time-unit", "", "ndjson, csv, tsv: unit of numeric timestamps, since 1970: s, ms, us or ns (default: ms)")
	f.StringVar(&p.timeLayout, "time-layout", "", "all but events: how timestamps look, as in %d/%m/%Y %H:%M:%S (default: RFC 3339; of "+
		"access logs: by their shape)")
	f.StringVar(&p.timeZone, "time-zone", "", "all but events: zone of timestamps that name none, as in Europe/Berlin (default: UTC)")
	f.BoolVar(&p.decimalComma, "decimal-comma", false, "ndjson, csv, tsv: values look like 1.234,50")
	f.StringVar(&p.logFormat, "log-format", "", "access logs: how lines look, in the words of nginx, Apache or GoAccess, or a #Fields line")
	f.BoolVar(&p.countAssets, "count-assets", false, "access logs: count lines that are neither page views nor downloads, too")
	f.StringVar(&p.hashKey, "visitor-hash-key", "", "access logs: secret of the visitors' hash, 16 bytes or more (default: visitorHashKey of "+
		"the configuration, otherwise random)")
	f.StringVar(&p.visitorSalt, "visitor-salt", "daily", "access logs: daily = a visitor has another id on each UTC day; fixed = one id")
	f.IntVar(&p.sort, "sort", 0, "files: sort by time, holding up to this many `lines`; 0 = off")
	f.Lookup("sort").NoOptDefVal = strconv.Itoa(produce.DefaultSortLines)
	command.Complete(cmd, "format", append([]string{formatAuto}, produce.Formats...)...)
	command.Complete(cmd, "visitor-salt", "daily", "fixed")
	command.Complete(cmd, "time-unit", mapping.TimeUnits...)
	command.Complete(cmd, "preset", mapping.Presets()...)
}

// Check refuses values that are out of range, and flags that do not go with the format.
func (p *Flags) Check(changed func(flag string) bool) error {
	if p.sort < 0 {
		return command.Usagef("--sort=%d: write 1 or more lines, or 0 for off", p.sort)
	}
	if p.logFormat != "" {
		if p.format != formatAuto {
			return command.Usagef("--format %s and --log-format: choose one", p.format)
		}
		return p.checkFor(accesslog.Names[0], changed)
	}
	if p.format == formatAuto && p.preset != "" {
		p.format = "ndjson"
	}
	if p.format == formatAuto {
		return nil
	}
	if !slices.Contains(produce.Formats, p.format) {
		return command.Usagef("--format %s: choose auto or one of %s", p.format, strings.Join(produce.Formats, ", "))
	}
	return p.checkFor(p.format, changed)
}

// checkFor refuses flags that do not go with a format.
func (p *Flags) checkFor(format string, changed func(flag string) bool) error {
	for _, of := range []struct {
		flags, formats []string
		called         string
	}{
		{mappingFlags, mappedFormats, "--format " + command.Either(mappedFormats)}, {accessLogFlags, accesslog.Names, "access logs"},
		{timeFlags, produce.Formats[1:], "all formats but events"}, {[]string{"set"}, produce.Formats[1:], "all formats but events"},
	} {
		for _, name := range of.flags {
			if changed(name) && !slices.Contains(of.formats, format) {
				return command.Usagef("--%s is for %s, and the format is %s", name, of.called, format)
			}
		}
	}
	return nil
}

// Options are what a format is made of beside the flags.
type Options struct {
	Key      string // of the visitors' hash, where no flag names one
	Buckets  int
	NeedTime bool                                // an event without a timestamp is refused
	Untimed  string                              // is added to the reason
	Site     string                              // of access logs that name none, if no flag does; "": one is required
	FindSite bool                                // Site is in place of a host that most of the first referrers name
	Stdin    func(context.Context) produce.Input // makes an input of the standard input
	KeyOf    func([]produce.Input) []byte        // makes the key, if it is neither here nor in a flag; nil: it is random
	Open     func() (io.ReadCloser, error)       // opens the one input; nil: it is a file like others
}

// Open opens the files that names mean, as --format and --sort say. It returns their bytes, -1 where they are not known.
func (p *Flags) Open(cmd *cobra.Command, names []string, o Options) (*produce.File, int64, error) {
	inputs, total, err := inputsOf(cmd.Context(), names, o.Stdin)
	if err != nil {
		return nil, 0, err
	}
	inputs, total = withoutCopies(inputs, total, cmd.ErrOrStderr())
	if o.Key == "" && o.KeyOf != nil {
		o.Key = string(o.KeyOf(inputs))
	}
	if err := p.setFormats(inputs, cmd.Flags().Changed, o); err != nil {
		return nil, 0, err
	}
	if log, ok := inputs[0].Format.(*produce.AccessLog); ok {
		for _, lack := range log.Lacks() {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: --log-format has no %s\n", lack)
		}
	}
	if o.FindSite {
		produce.FindSite(inputs)
	}
	if o.Open != nil {
		inputs[0].Open = o.Open
	}
	produce.Order(inputs)
	file := produce.NewFiles(inputs)
	if p.sort > 0 {
		file.Sort(p.sort)
	}
	return file, total, nil
}

// setFormats sets the format of each input: the one of the flag, or the one that its first lines have. An input whose lines have none gets
// that of the first input that has one: they are refused one by one, and stop no other.
func (p *Flags) setFormats(inputs []produce.Input, changed func(flag string) bool, o Options) error {
	if o.Key == "" {
		o.Key = rand.Text() // One for all formats: a visitor of two files is one.
	}
	names, usual, unknown := make([]string, len(inputs)), p.format, error(nil)
	if p.logFormat != "" {
		usual = accesslog.Names[0] // In name only: the layout is read.
	} else if p.format == formatAuto {
		usual = ""
		for i, in := range inputs {
			name, err := produce.Detect(in, changed("map"), accesslog.Config{Times: p.timeLayout})
			unknown = cmp.Or(unknown, err)
			names[i], usual = name, cmp.Or(usual, name)
		}
	}
	if usual == "" {
		return unknown
	}
	made := make(map[string]produce.Format)
	for i := range inputs {
		name := cmp.Or(names[i], usual)
		if made[name] == nil {
			if err := p.checkFor(name, changed); err != nil {
				return err
			}
			format, err := p.newFormat(name, o)
			if err != nil {
				return command.Usagef("%w", err)
			}
			made[name] = format
		}
		inputs[i].Format = made[name]
	}
	return nil
}

func (p *Flags) newFormat(name string, o Options) (produce.Format, error) {
	if name == "events" {
		return &produce.Events{Buckets: o.Buckets, NeedTime: o.NeedTime, Untimed: o.Untimed}, nil
	}
	if slices.Contains(mappedFormats, name) {
		if p.properties != "" && p.properties != "rest" {
			return nil, fmt.Errorf("--properties %s: write rest, or leave it out", p.properties)
		}
		table := name
		if name == "ndjson" {
			table = ""
		}
		if p.preset != "" && !slices.Contains(mapping.Presets(), p.preset) {
			return nil, fmt.Errorf("--preset %s: choose %s", p.preset, command.Either(mapping.Presets()))
		}
		c := mapping.Config{Map: p.maps, Set: p.sets, Default: p.defaults, Rest: p.properties == "rest",
			TimeUnit: p.timeUnit, TimeLayout: p.timeLayout, TimeZone: p.timeZone, DecimalComma: p.decimalComma}
		return produce.NewMapping(c.Over(p.preset), table, o.Buckets)
	}
	key := p.hashKey
	if key == "" {
		key = o.Key
	}
	salt, err := produce.ParseSalt(p.visitorSalt)
	if err != nil {
		return nil, fmt.Errorf("--visitor-salt: %w", err)
	}
	zone := time.UTC
	if p.timeZone != "" {
		if zone, err = time.LoadLocation(p.timeZone); err != nil || p.timeZone == "Local" {
			return nil, fmt.Errorf("--time-zone %q: write the name of a zone, as in Europe/Berlin", p.timeZone)
		}
	}
	format, err := produce.NewAccessLog(produce.AccessLogConfig{
		Lines: accesslog.Config{Format: name, Layout: p.logFormat, Switch: p.format == formatAuto, Times: p.timeLayout, Zone: zone},
		Set:   p.sets, Site: o.Site, HashKey: []byte(key), Salt: salt, Buckets: o.Buckets, CountAssets: p.countAssets})
	switch {
	case err != nil && p.logFormat != "":
		err = fmt.Errorf("--log-format %q: %w", p.logFormat, err)
	case err != nil && p.format == formatAuto:
		err = errors.Join(fmt.Errorf("the format is %s", name), err)
	}
	return format, err
}
