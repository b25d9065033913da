package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/show"
)

// produceFlags are the flags of footfall produce as they are written.
type produceFlags struct {
	traffic                  produce.Config
	rate                     float64
	events                   int64
	from, format, properties string
	maps, sets               []string
	hashKey, visitorSalt     string
	recordTime, compression  string
	createTopic              bool
	partitions               int
	retention, ledger        string
	output                   show.Format
}

// compressions are those of a [produce.Job]; the first is the default.
var compressions = []string{"lz4", "zstd", "gzip", "snappy", "none"}

func newProduceCommand(a *app) *cobra.Command {
	var p produceFlags
	cmd := &cobra.Command{
		Use:   "produce",
		Short: "Publish synthetic traffic, or the lines of a file, to the topic",
		Long: `Publish events to the topic with an idempotent producer: a lost answer does not send a record twice.

Without --from-file, publish synthetic traffic, the same for the same --seed: sites of skewed sizes, returning visitors, sessions, page
views, clicks, purchases. It continues until Ctrl-C, or for --events records.

With --from-file, publish the lines of a file, or of standard input with -, optionally compressed with gzip or zstd:

  events    events in the format of docs/events.md, one JSON object per line, sent unchanged.
  ndjson    any JSON objects, with a mapping. --map FIELD=KEY takes a key of the line (a.b is the b in a). --map
            'FIELD=TEMPLATE' inserts keys into a text, as in url=/wiki/{page}; in a url they are percent-encoded.
            --set FIELD=TEXT sets the same value in every line. --properties rest makes properties of all keys that
            no --map names. A line without a mapped key is refused, unless the mapping has a question mark:
            country=geo.country?. A null value makes no field.
  combined  access logs of Apache and nginx. --set siteId=... names the site. The type is page_view, download or
            asset, by extension and status. The visitorId is a hash of site, address and user agent; addresses are
            not stored. With --visitor-salt daily, the default, a visitor has another id on each UTC day: uniques
            of a day are visitors, uniques of a longer range are visitor-days. With fixed, a visitor has one id for
            all days and can be followed. Sessions continue across midnight in both cases. The salts are computed
            from --visitor-hash-key, or visitorHashKey in the configuration, 16 bytes or more; the owner of the key
            can find addresses by trying all. Without a key, the salts are random and exist only during this run:
            then a visitor counts twice if the log of a day is sent in two runs. Sessions end after 30 minutes, by
            the times of the lines. There are no event ids: a log that is sent twice counts twice. Add asset to
            nonInteractiveEvents; otherwise a page with pictures never bounces.

Lines that cannot become events are refused, and listed at the end with line number and reason. So are events of 1970 in events and
ndjson: their timestamps are seconds, but must be milliseconds.

--record-time sets the Kafka timestamp: event, the event's own time (default for files); now (default for synthetic traffic); or an
instant for all lines, at which synthetic traffic begins. Kafka deletes records that are older than the topic's retention, and refuses
records more than an hour ahead of its clock. By default, the pipeline rejects events more than 48 hours before or 10 minutes after the
timestamp of their record.

Exit code 1 if a record could not be sent. Refused lines alone are not an error.`,
		Example: `  footfall produce --rate 200 --sites 20 --seed 7
  footfall produce --events 100000 --rate 0 --bad 0.01 --duplicates 0.02 --late 0.05
  footfall produce --from-file events.ndjson.gz
  footfall produce --from-file edits.json.gz --format ndjson --map siteId=channel --map timestamp=time \
    --map visitorId=user --map 'url=/wiki/{page}' --set type=edit --properties rest \
    --create-topic --retention never
  zcat access.log.*.gz | footfall produce --from-file - --format combined --set siteId=www.example.com`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.produce(cmd, p) },
	}
	f := cmd.Flags()
	f.Float64Var(&p.rate, "rate", 100, "records per second; 0 = unlimited (the default with --from-file)")
	f.Int64Var(&p.events, "events", 0, "records to send; 0 = unlimited, or the whole file")
	f.IntVar(&p.traffic.Sites, "sites", 10, "synthetic: number of sites")
	f.Uint64Var(&p.traffic.Seed, "seed", 1, "synthetic: seed of the traffic")
	f.Float64Var(&p.traffic.Bad, "bad", 0, "synthetic: share of malformed records, 0 to 1")
	f.Float64Var(&p.traffic.Duplicates, "duplicates", 0, "synthetic: share of records that are sent twice, 0 to 1")
	f.Float64Var(&p.traffic.Late, "late", 0, "synthetic: share of events 1 minute to 60 hours late, 0 to 1")
	f.IntVar(&p.traffic.Buckets, "buckets", 1, "number of Kafka keys per site: siteId#b with b by visitor; 1 = siteId alone")
	f.StringVar(&p.from, "from-file", "", "file to send instead of synthetic traffic, also gzip and zstd; - = standard input")
	f.StringVar(&p.format, "format", "events", "format of the file: events, ndjson or combined")
	f.StringArrayVar(&p.maps, "map", nil, "ndjson: FIELD=KEY or FIELD=TEMPLATE (repeat)")
	f.StringArrayVar(&p.sets, "set", nil, "ndjson and combined: FIELD=TEXT (repeat)")
	f.StringVar(&p.properties, "properties", "", "ndjson: rest = make properties of the keys that are not mapped")
	f.StringVar(&p.hashKey, "visitor-hash-key", "", "combined: secret of the visitors' hash, 16 bytes or more (default: visitorHashKey of "+
		"the configuration, otherwise random)")
	f.StringVar(&p.visitorSalt, "visitor-salt", "daily", "combined: daily = a visitor has another id on each UTC day; fixed = one id")
	f.StringVar(&p.recordTime, "record-time", "", "Kafka's timestamp: event, now, or an instant in RFC 3339 (default: event with "+
		"--from-file, otherwise now)")
	f.StringVar(&p.compression, "compression", compressions[0], strings.Join(compressions, ", "))
	f.BoolVar(&p.createTopic, "create-topic", false, "create the topic if it does not exist")
	f.IntVar(&p.partitions, "partitions", 0, "partitions of a created topic (default 4)")
	f.StringVar(&p.retention, "retention", "", "retention of a created topic: never, days as in 30d, or a duration (default: the broker's)")
	f.StringVar(&p.ledger, "ledger", "", "file to which a JSON line is appended for each acknowledged record: partition, offset, siteId, "+
		"id, type")
	addOutput(cmd, &p.output, show.Table, show.JSON)
	f.Lookup("output").Usage = "format of the summary: table or json"
	for _, synthetic := range []string{"sites", "seed", "bad", "duplicates", "late"} {
		cmd.MarkFlagsMutuallyExclusive("from-file", synthetic)
	}
	complete(cmd, "format", "events", "ndjson", "combined")
	complete(cmd, "visitor-salt", "daily", "fixed")
	complete(cmd, "compression", compressions...)
	return cmd
}

// produce wires a job: what is sent, where to, and who hears of it.
func (a *app) produce(cmd *cobra.Command, p produceFlags) error {
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	job := produce.Job{
		Topic: c.Kafka.Topic, Compression: p.compression, Rate: p.rate, Events: p.events, Keep: shortest(c.Retention),
		Warn: func(text string) { fmt.Fprintln(a.err, "warning:", text) },
	}
	if err := p.fill(cmd, &job); err != nil {
		return err
	}
	if job.Kafka, err = clients(cmd, c); err != nil {
		return err
	}
	total := p.events
	if p.from == "" {
		if err := p.traffic.Validate(); err != nil {
			return usagef("%w", err)
		}
		job.Traffic = produce.NewTraffic(p.traffic)
	} else {
		in, size, err := a.openInput(p.from)
		if err != nil {
			return err
		}
		defer in.Close()
		format, err := p.lineFormat(c.VisitorHashKey, job.RecordTime == produce.EventTime)
		if err != nil {
			return usagef("%w", err)
		}
		if job.File, err = produce.NewFile(produce.Interruptible(cmd.Context(), in), format); err != nil {
			return fmt.Errorf("%s: %w", p.from, err)
		}
		total = size
	}
	if p.ledger != "" {
		ledger, err := os.OpenFile(p.ledger, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		defer ledger.Close()
		job.Ledger = ledger
	}
	done := a.showProgress(&job, total)
	summary, err := job.Run(cmd.Context())
	done()
	if err != nil && summary.Sent+summary.Failed+summary.Refused == 0 {
		return err // Nothing was begun: there is nothing to sum up.
	}
	return errors.Join(err, a.print(p.output, summary, summary.WriteText))
}

// fill checks the flags that are the same for traffic and files, and what they say belongs together.
func (p produceFlags) fill(cmd *cobra.Command, job *produce.Job) (err error) {
	file, changed := p.from != "", cmd.Flags().Changed
	for _, name := range []string{"format", "map", "set", "properties", "visitor-hash-key", "visitor-salt"} {
		if changed(name) && !file {
			return usagef("--%s is about a file: name it with --from-file", name)
		}
	}
	for name, format := range map[string]string{"map": "ndjson", "properties": "ndjson", "visitor-hash-key": "combined",
		"visitor-salt": "combined"} {
		if changed(name) && p.format != format {
			return usagef("--%s is for --format %s", name, format)
		}
	}
	switch {
	case !(p.rate >= 0 && p.rate <= math.MaxFloat64) || p.events < 0: // So that NaN is refused.
		return usagef("--rate %v and --events %d: write 0 or more", p.rate, p.events)
	case p.traffic.Sites < 1:
		return usagef("--sites %d: write 1 to %d", p.traffic.Sites, produce.MaxSites)
	case p.traffic.Buckets < 1:
		return usagef("--buckets %d: write 1 or more", p.traffic.Buckets)
	case changed("partitions") && (p.partitions < 1 || p.partitions > math.MaxInt32):
		return usagef("--partitions %d: write 1 to %d", p.partitions, math.MaxInt32)
	case !slices.Contains(compressions, p.compression):
		return usagef("--compression %s: choose %s", p.compression, strings.Join(compressions, ", "))
	}
	if file && !changed("rate") {
		job.Rate = 0
	}
	job.RecordTime = produce.SendTime
	if file {
		job.RecordTime = produce.EventTime
	}
	if p.recordTime != "" {
		if job.RecordTime, err = produce.ParseRecordTime(p.recordTime); err != nil {
			return usagef("--record-time: %w", err)
		}
	}
	if (changed("partitions") || changed("retention")) && !p.createTopic {
		return usagef("--partitions and --retention are of a created topic: add --create-topic")
	}
	if p.createTopic {
		job.Create = &produce.Topic{Partitions: p.partitions}
		if p.retention != "" {
			if job.Create.Retention, err = produce.ParseRetention(p.retention); err != nil {
				return usagef("--%w", err)
			}
		}
	}
	return nil
}

func (p produceFlags) lineFormat(configuredKey string, needTime bool) (produce.Format, error) {
	switch p.format {
	case "events":
		if len(p.sets) > 0 {
			return nil, errors.New("--set is for --format ndjson and combined")
		}
		return &produce.Events{Buckets: p.traffic.Buckets, NeedTime: needTime}, nil
	case "ndjson":
		if p.properties != "" && p.properties != "rest" {
			return nil, fmt.Errorf("--properties %s: write rest, or leave it out", p.properties)
		}
		return produce.NewMapping(produce.MappingConfig{Map: p.maps, Set: p.sets, Rest: p.properties == "rest", Buckets: p.traffic.Buckets})
	case "combined":
		key := p.hashKey
		if key == "" {
			key = configuredKey
		}
		salt, err := produce.ParseSalt(p.visitorSalt)
		if err != nil {
			return nil, fmt.Errorf("--visitor-salt: %w", err)
		}
		return produce.NewCombined(produce.CombinedConfig{Set: p.sets, HashKey: []byte(key), Salt: salt, Buckets: p.traffic.Buckets})
	}
	return nil, fmt.Errorf("--format %s: choose events, ndjson or combined", p.format)
}

// openInput opens a file and tells its size, -1 where it has none.
func (a *app) openInput(name string) (io.ReadCloser, int64, error) {
	if name == "-" {
		return io.NopCloser(a.in), -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return f, -1, nil
	}
	return f, info.Size(), nil
}

// showProgress shows the job's progress on a terminal; elsewhere it does nothing. total is in bytes of the file or
// in records; not above 0: unknown. The returned function takes the bar away.
func (a *app) showProgress(job *produce.Job, total int64) (done func()) {
	if total <= 0 {
		total = -1
	}
	bar, done := a.progress("producing", total, progressbar.OptionShowBytes(job.File != nil), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionFullWidth())
	if bar == nil {
		return done
	}
	job.Progress = func(n int64) { _ = bar.Set64(n) }
	warn := job.Warn
	job.Warn = func(text string) {
		_ = bar.Clear()
		warn(text)
	}
	return done
}

// shortest returns the shortest retention of any kind of item; 0 when none ever expires.
func shortest(r config.Retention) time.Duration {
	least := config.Never
	for _, days := range []config.Days{r.Raw, r.Session, r.Hour, r.Day} {
		if days != config.Never && (least == config.Never || days < least) {
			least = days
		}
	}
	return time.Duration(max(least, 0)) * 24 * time.Hour
}
