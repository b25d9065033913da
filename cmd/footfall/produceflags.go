package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
	createTopic, dryRun      bool
	partitions, sort         int
	retention, ledger        string
	output                   show.Format
}

// compressions are those of a [produce.Job]; the first is the default.
var compressions = []string{"lz4", "zstd", "gzip", "snappy", "none"}

func (p *produceFlags) addFlags(cmd *cobra.Command) {
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
	f.IntVar(&p.sort, "sort", 0, "file: sort by time, holding up to this many `lines`; 0 = off")
	f.Lookup("sort").NoOptDefVal = strconv.Itoa(produce.DefaultSortLines)
	f.StringVar(&p.recordTime, "record-time", "", "Kafka's timestamp: event, now, or an instant in RFC 3339 (default: event with "+
		"--from-file, otherwise now)")
	f.StringVar(&p.compression, "compression", compressions[0], strings.Join(compressions, ", "))
	f.BoolVar(&p.createTopic, "create-topic", false, "create the topic if it does not exist")
	f.IntVar(&p.partitions, "partitions", 0, "partitions of a created topic (default 4)")
	f.StringVar(&p.retention, "retention", "", "retention of a created topic: never, days as in 30d, or a duration (default: the broker's)")
	f.BoolVar(&p.dryRun, "dry-run", false, "file: say what would become of each line, and send nothing")
	f.StringVar(&p.ledger, "ledger", "", "file to which a JSON line is appended for each acknowledged record: partition, offset, siteId, "+
		"id, type")
	addOutput(cmd, &p.output, show.Table, show.JSON)
	f.Lookup("output").Usage = "format of the summary: table or json"
	for _, synthetic := range []string{"sites", "seed", "bad", "duplicates", "late"} {
		exclude(cmd, "from-file", synthetic)
	}
	complete(cmd, "format", "events", "ndjson", "combined")
	complete(cmd, "visitor-salt", "daily", "fixed")
	complete(cmd, "compression", compressions...)
}

// check refuses values that are out of range, and flags that do not go together.
func (p *produceFlags) check(changed func(flag string) bool) error {
	for _, name := range []string{"format", "map", "set", "properties", "visitor-hash-key", "visitor-salt", "sort", "dry-run"} {
		if changed(name) && p.from == "" {
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
	case p.sort < 0:
		return usagef("--sort=%d: write 1 or more lines, or 0 for off", p.sort)
	case changed("partitions") && (p.partitions < 1 || p.partitions > math.MaxInt32):
		return usagef("--partitions %d: write 1 to %d", p.partitions, math.MaxInt32)
	case !slices.Contains(compressions, p.compression):
		return usagef("--compression %s: choose %s", p.compression, strings.Join(compressions, ", "))
	}
	return nil
}

// fill sets what the flags say of traffic and of files. check has accepted them.
func (p *produceFlags) fill(changed func(flag string) bool, job *produce.Job) (err error) {
	file := p.from != ""
	if file && !changed("rate") {
		job.Rate = 0
	}
	job.RecordTime = produce.SendTime
	if file {
		job.RecordTime = produce.EventTime
	}
	if p.recordTime != "" {
		if job.RecordTime, err = produce.ParseRecordTime(p.recordTime); err != nil {
			return usagef("--record-time %w", err)
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

// lineFormat returns what makes events of the lines of the file. needTime: an event without a timestamp is refused.
func (p *produceFlags) lineFormat(configuredKey string, needTime bool) (produce.Format, error) {
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
