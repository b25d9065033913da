// Package files opens files of events and access logs as flags name them, and finds their formats.
package files

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/produce"
)

// formatAuto is the format that the first lines of the files decide.
const formatAuto = "auto"

// FormatsHelp is said wherever a format can be named.
const FormatsHelp = `  events          events in the format of docs/events.md, one JSON object per line, sent unchanged.
  ndjson          any JSON objects, with a mapping. --map FIELD=KEY takes a key of the line: a.b is the b in a, a[0] or a.0 the first
                  of a. --map 'FIELD=TEMPLATE' inserts keys into a text, as in url=/wiki/{page}; in a url they are percent-encoded.
                  --set FIELD=TEXT sets the same value in every line. --default FIELD=TEXT is for lines in which the mapped key is
                  missing, null or empty. --properties rest makes properties of all keys that no --map names. A line without a mapped
                  key is refused, unless the field has a default or the mapping a question mark: country=geo.country?. A null value
                  makes no field. Timestamps are RFC 3339 or milliseconds; --time-unit reads seconds, microseconds and nanoseconds,
                  --time-layout other texts, with the directives of strptime (%d/%b/%Y:%H:%M:%S %z) or in Go's form.
  csv, tsv        rows under a header, whose names are the keys, with a mapping as for ndjson. Columns of csv are separated by commas, or
                  by semicolons if the header has more of them. A row is one line. Empty cells are null. Only above the header, lines
                  that begin with # are comments.
  combined        access logs of Apache and nginx. --set siteId=... names the site.
  common          the Common Log Format: combined without referrer and user agent, so that a visitor is an address.
  vhost_combined  combined after a host and its port, as Apache writes it for several sites. The host is the siteId.
  caddy           access logs of Caddy, JSON. The host is the siteId.
  nginx           access logs of nginx in JSON (log_format with escape=json), whose keys are names of nginx's variables: time_iso8601, msec
                  or time_local; remote_addr; request, or request_method and request_uri; status; body_bytes_sent; http_referer;
                  http_user_agent; host, which is the siteId.

A line of an access log becomes a page_view, a download or an asset, by extension and status. --set siteId=... replaces the hosts. Clients
choose the host that they ask for: sites.maxNewPerHour bounds how many become sites. The visitorId is a hash of site, address and user
agent; addresses are not stored. With --visitor-salt daily, a visitor has another id on each UTC day: uniques of a day are visitors,
uniques of a longer range are visitor-days. With fixed, a visitor has one id for all days and can be followed. Sessions continue across
midnight in both cases, and end after 30 minutes without a line. The salts are computed from --visitor-hash-key, or visitorHashKey in the
configuration, 16 bytes or more; the owner of the key can find addresses by trying all. There are no event ids: a log that is sent
twice counts twice.

Assets are the parts of pages, and requests that got no page: a redirect, an error such as a 404, a HEAD. They are events, but no page
views, and do not end a bounce (nonInteractiveEvents). They belong to sessions: a client that only fetches a feed, or finds no page, has a
session without page views. Status, bytes, method and protocol are properties of the event: footfall site update SITE
--property status makes the status of later events a dimension, which footfall query top SITE property:status shows.`

// Flags are the flags that say how the lines of files become events.
type Flags struct {
	format, properties             string
	maps, sets, defaults           []string
	timeUnit, timeLayout, timeZone string
	decimalComma                   bool
	hashKey, visitorSalt           string
	sort                           int
}

// mappingFlags and accessLogFlags are those for some formats only.
var (
	mappingFlags   = []string{"map", "default", "properties", "time-unit", "time-layout", "time-zone", "decimal-comma"}
	accessLogFlags = []string{"visitor-hash-key", "visitor-salt"}
	FlagNames      = slices.Concat([]string{"format", "set", "sort"}, mappingFlags, accessLogFlags)

	mappedFormats = []string{"ndjson", "csv", "tsv"}
)

// AddFlags adds the flags to a command.
func (p *Flags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.format, "format", formatAuto, "format of the files: "+strings.Join(produce.Formats, ", ")+
		"; auto = by the first lines of each")
	f.StringArrayVar(&p.maps, "map", nil, "ndjson, csv, tsv: FIELD=KEY or FIELD=TEMPLATE (repeat)")
	f.StringArrayVar(&p.sets, "set", nil, "all but events: FIELD=TEXT, the same for every line (repeat)")
	f.StringArrayVar(&p.defaults, "default", nil, "ndjson, csv, tsv: FIELD=TEXT for lines whose mapped key is missing, null or empty (repeat)")
	f.StringVar(&p.properties, "properties", "", "ndjson, csv, tsv: rest = make properties of the keys that are not mapped")
	f.StringVar(&p.timeUnit, "time-unit", "", "ndjson, csv, tsv: unit of numeric timestamps, since 1970: s, ms, us or ns (default: ms)")
	f.StringVar(&p.timeLayout, "time-layout", "", "ndjson, csv, tsv: how timestamps look, as in %d/%m/%Y %H:%M:%S (default: RFC 3339)")
	f.StringVar(&p.timeZone, "time-zone", "", "ndjson, csv, tsv: zone of timestamps that name none, as in Europe/Berlin (default: UTC)")
	f.BoolVar(&p.decimalComma, "decimal-comma", false, "ndjson, csv, tsv: values look like 1.234,50")
	f.StringVar(&p.hashKey, "visitor-hash-key", "", "access logs: secret of the visitors' hash, 16 bytes or more (default: visitorHashKey of "+
		"the configuration, otherwise random)")
	f.StringVar(&p.visitorSalt, "visitor-salt", "daily", "access logs: daily = a visitor has another id on each UTC day; fixed = one id")
	f.IntVar(&p.sort, "sort", 0, "files: sort by time, holding up to this many `lines`; 0 = off")
	f.Lookup("sort").NoOptDefVal = strconv.Itoa(produce.DefaultSortLines)
	command.Complete(cmd, "format", append([]string{formatAuto}, produce.Formats...)...)
	command.Complete(cmd, "visitor-salt", "daily", "fixed")
	command.Complete(cmd, "time-unit", produce.TimeUnits...)
}

// Check refuses values that are out of range, and flags that do not go with the format.
func (p *Flags) Check(changed func(flag string) bool) error {
	if p.sort < 0 {
		return command.Usagef("--sort=%d: write 1 or more lines, or 0 for off", p.sort)
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
	for _, of := range []struct{ flags, formats []string }{
		{mappingFlags, mappedFormats}, {accessLogFlags, produce.Layouts}, {[]string{"set"}, produce.Formats[1:]},
	} {
		for _, name := range of.flags {
			if changed(name) && !slices.Contains(of.formats, format) {
				return command.Usagef("--%s is for --format %s, and the format is %s", name, command.Either(of.formats), format)
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
	Stdin    func(context.Context) produce.Input // makes an input of the standard input
	KeyOf    func([]produce.Input) []byte        // makes the key, if it is neither here nor in a flag; nil: it is random
}

// Open opens the files that names mean, as --format and --sort say. It returns their bytes, -1 where they are not known.
func (p *Flags) Open(cmd *cobra.Command, names []string, o Options) (*produce.File, int64, error) {
	inputs, total, err := inputsOf(cmd.Context(), names, o.Stdin)
	if err != nil {
		return nil, 0, err
	}
	if o.Key == "" && o.KeyOf != nil {
		o.Key = string(o.KeyOf(inputs))
	}
	if err := p.setFormats(inputs, cmd.Flags().Changed, o); err != nil {
		return nil, 0, err
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
	if p.format == formatAuto {
		usual = ""
		for i, in := range inputs {
			name, err := produce.Detect(in, changed("map"))
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
		return produce.NewMapping(produce.MappingConfig{Map: p.maps, Set: p.sets, Default: p.defaults, Rest: p.properties == "rest",
			Buckets: o.Buckets, TimeUnit: p.timeUnit, TimeLayout: p.timeLayout, TimeZone: p.timeZone, DecimalComma: p.decimalComma,
			Table: table})
	}
	key := p.hashKey
	if key == "" {
		key = o.Key
	}
	salt, err := produce.ParseSalt(p.visitorSalt)
	if err != nil {
		return nil, fmt.Errorf("--visitor-salt: %w", err)
	}
	sets := p.sets
	if hostless := name == "combined" || name == "common"; hostless && o.Site != "" && !slices.ContainsFunc(sets, setsSite) {
		sets = append(slices.Clone(sets), "siteId="+o.Site)
	}
	format, err := produce.NewAccessLog(produce.AccessLogConfig{Layout: name, Set: sets, HashKey: []byte(key), Salt: salt, Buckets: o.Buckets})
	if err != nil && p.format == formatAuto {
		err = errors.Join(fmt.Errorf("the format is %s", name), err)
	}
	return format, err
}

func setsSite(assignment string) bool { return strings.HasPrefix(assignment, "siteId=") }
