package run

import (
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/files"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/show"
)

// produceFlags are the flags of footfall produce as they are written.
type produceFlags struct {
	traffic                 produce.Config
	rate                    float64
	events                  int64
	from                    []string
	file                    files.Flags
	recordTime, compression string
	createTopic, dryRun     bool
	partitions              int
	retention, ledger       string
	output                  show.Format
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
	f.StringArrayVar(&p.from, "from-file", nil, "file, folder, glob or s3://BUCKET/PREFIX to send instead of synthetic traffic, also gzip, "+
		"zstd and bzip2; - = standard input (repeat)")
	p.file.AddFlags(cmd)
	f.StringVar(&p.recordTime, "record-time", "", "Kafka's timestamp: event, now, or an instant in RFC 3339 (default: event with "+
		"--from-file, otherwise now)")
	f.StringVar(&p.compression, "compression", compressions[0], strings.Join(compressions, ", "))
	f.BoolVar(&p.createTopic, "create-topic", false, "create the topic if it does not exist")
	f.IntVar(&p.partitions, "partitions", 0, "partitions of a created topic (default 4)")
	f.StringVar(&p.retention, "retention", "", "retention of a created topic: never, days as in 30d, or a duration (default: the broker's)")
	f.BoolVar(&p.dryRun, "dry-run", false, "file: say what would become of each line, and send nothing")
	f.StringVar(&p.ledger, "ledger", "", "file to which a JSON line is appended for each acknowledged record: partition, offset, siteId, "+
		"id, type")
	command.AddOutput(cmd, &p.output, show.Table, show.JSON)
	f.Lookup("output").Usage = "format of the summary: table or json"
	for _, synthetic := range []string{"sites", "seed", "bad", "duplicates", "late"} {
		command.Exclude(cmd, "from-file", synthetic)
	}
	command.Complete(cmd, "compression", compressions...)
}

// check refuses values that are out of range, and flags that do not go together.
func (p *produceFlags) check(changed func(flag string) bool) error {
	if len(p.from) == 0 {
		for _, name := range append(files.FlagNames, "dry-run") {
			if changed(name) {
				return command.Usagef("--%s is about a file: name it with --from-file", name)
			}
		}
	} else if err := p.file.Check(changed); err != nil {
		return err
	}
	switch {
	case !(p.rate >= 0 && p.rate <= math.MaxFloat64) || p.events < 0: // So that NaN is refused.
		return command.Usagef("--rate %v and --events %d: write 0 or more", p.rate, p.events)
	case p.traffic.Sites < 1:
		return command.Usagef("--sites %d: write 1 to %d", p.traffic.Sites, produce.MaxSites)
	case p.traffic.Buckets < 1:
		return command.Usagef("--buckets %d: write 1 or more", p.traffic.Buckets)
	case changed("partitions") && (p.partitions < 1 || p.partitions > math.MaxInt32):
		return command.Usagef("--partitions %d: write 1 to %d", p.partitions, math.MaxInt32)
	case !slices.Contains(compressions, p.compression):
		return command.Usagef("--compression %s: choose %s", p.compression, strings.Join(compressions, ", "))
	}
	return nil
}

// fill sets what the flags say of traffic and of files. check has accepted them.
func (p *produceFlags) fill(changed func(flag string) bool, job *produce.Job) (err error) {
	file := len(p.from) > 0
	if file && !changed("rate") {
		job.Rate = 0
	}
	job.RecordTime = produce.SendTime
	if file {
		job.RecordTime = produce.EventTime
	}
	if p.recordTime != "" {
		if job.RecordTime, err = produce.ParseRecordTime(p.recordTime); err != nil {
			return command.Usagef("--record-time %w", err)
		}
	}
	if (changed("partitions") || changed("retention")) && !p.createTopic {
		return command.Usagef("--partitions and --retention are of a created topic: add --create-topic")
	}
	if p.createTopic {
		job.Create = &produce.Topic{Partitions: p.partitions}
		if p.retention != "" {
			if job.Create.Retention, err = produce.ParseRetention(p.retention); err != nil {
				return command.Usagef("--%w", err)
			}
		}
	}
	return nil
}
