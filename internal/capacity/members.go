package capacity

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// Processes are what a plan takes for the processes that count: CPU of a core for a record and for each write, and their size.
type Processes struct {
	VCPU         float64       `json:"vcpu"` // of a member
	RecordCPU    time.Duration `json:"cpuPerRecordNs"`
	WriteCPU     time.Duration `json:"cpuPerWriteNs"`
	RawEventCPU  time.Duration `json:"cpuPerRawEventNs"` // of a raw event by itself, written with others
	MemoryBytes  int           `json:"memoryBytes"`      // limits.memoryBytes
	FetchedBytes int           `json:"fetchedBytes"`     // limits.fetchedBytes
	ChunksAhead  int           `json:"chunksAhead"`      // limits.chunksAhead
}

// DefaultProcesses have the CPU that go run ./internal/bench measured on two cores: 6.2 us a record with everything on, 221 us a guarded
// update and 30 us a raw event in a batch.
func DefaultProcesses() Processes {
	l := pipeline.DefaultLimits
	return Processes{VCPU: 2, RecordCPU: 6200 * time.Nanosecond, WriteCPU: 221 * time.Microsecond, RawEventCPU: 30 * time.Microsecond,
		MemoryBytes: l.MemoryBytes, FetchedBytes: l.FetchedBytes}
}

// Members are the processes that a load needs, and how long they take to recover.
type Members struct {
	Count       int     `json:"count"` // one more than the peak needs at 70 % of their CPU, where there are partitions for it
	VCPU        float64 `json:"vcpu"`  // of each
	MemoryBytes float64 `json:"memoryBytes"`
	Cores       float64 `json:"coresAtPeak"` // of all together
	CPUPerEvent float64 `json:"cpuPerEventMicroseconds"`
	// from the end of a process without a drain until its partitions are where they would have been; 0: there is no other member
	Takeover float64 `json:"takeoverSeconds"`
	// until an hour without any process is counted, at the peak; 0: never
	CatchUp float64 `json:"catchUpSeconds"`
	// what sets its pace: cpu, or the write units that the table takes: the peak at 70 %, or what a new table takes, whichever is more
	CatchUpBy string `json:"catchUpLimit"`
	// lag of a member at 70 % of its CPU, in records: the mean, as partitions flush at different times
	LagThreshold int `json:"lagThreshold"`
}

const (
	// processBytes are what a process takes beside its ceilings, by docs/internals/exactly-once.md.
	processBytes = 48 << 20
	// detection is how long Kafka takes to notice that a member is gone, by the client's session timeout, and to assign its partitions.
	detection = 45*time.Second + 3*time.Second
	outage    = time.Hour
)

// members says which processes the peak needs. busiest is an hour of all sites at the peak.
func (w *Workload) members(busiest book, events float64, l Limits) Members {
	p := w.Processes
	var writes, raw, units float64
	for _, item := range items {
		f := busiest[item]
		switch {
		case f == nil:
		case item == itemEvent:
			raw += f.writes
			units += f.units[0]
		default:
			writes += f.writes
			units += f.units[0]
		}
	}
	cpu := events*p.RecordCPU.Seconds() + writes*p.WriteCPU.Seconds() + raw*p.RawEventCPU.Seconds() // of an hour
	m := Members{VCPU: p.VCPU, Cores: cpu / hourSeconds, CPUPerEvent: 1e6 * cpu / events}
	m.Count = min(int(math.Ceil(m.Cores/(headroom*p.VCPU)))+1, w.Partitions)
	left := max(m.Count-1, 1)
	held := math.Ceil(float64(w.Partitions) / float64(left)) // partitions of a member when another is gone
	each := float64(pipeline.PartitionBytes(w.Settings.Duplicates, p.ChunksAhead))
	m.MemoryBytes = processBytes + float64(p.MemoryBytes+p.FetchedBytes) + held*each

	capacity := float64(m.Count) * p.VCPU / (m.CPUPerEvent / 1e6) // events a second
	m.CatchUpBy = "cpu"
	if table := max(l.TableQuota, sinks.MinWarmWriteUnits) / (units / events); table < capacity {
		capacity, m.CatchUpBy = table, "table"
	}
	// From half an interval to one and a half: a flush of stats spreads its writes over half an interval, one of realtime minutes does not.
	lag := max(w.Stats, max(w.Realtime, w.RealtimeMax)/2).Seconds()
	m.LagThreshold = max(int(math.Round(headroom*p.VCPU/(m.CPUPerEvent/1e6)*lag)), 1)
	incoming := events / hourSeconds
	if capacity > incoming {
		m.CatchUp = outage.Seconds() * incoming / (capacity - incoming)
	}
	if m.Count > 1 {
		m.Takeover = detection.Seconds() + w.redo(busiest, events, float64(w.Partitions)/float64(m.Count)/float64(left))
	}
	return m
}

// redo is how many seconds a member takes for so many partitions of another one: it reads their windows of duplicates, folds their open
// flush again and writes it, and then counts what has come since.
func (w *Workload) redo(busiest book, events, partitions float64) float64 {
	p := w.Processes
	flush, writes := w.Stats.Seconds()/hourSeconds/float64(w.Partitions), 0.0
	for item, f := range busiest {
		if item != itemEvent && item != itemRealtime && item != itemCheckpoint {
			writes += f.writes
		}
	}
	perRecord := p.RecordCPU.Seconds()
	cpu := flush * (events*perRecord + writes*p.WriteCPU.Seconds())
	if d := w.window(); d != nil {
		cpu += d.Held * d.Events * perRecord
	}
	waited := detection.Seconds() * events / hourSeconds / float64(w.Partitions)
	cpu += waited * (perRecord + p.RawEventCPU.Seconds())
	return partitions * cpu / p.VCPU
}

func (m *Members) print(out io.Writer) {
	if m == nil {
		return
	}
	fmt.Fprintf(out, "\nMembers: %d of %g vCPU and %.0f MiB each. At the peak they take %s cores, at %.0f us of CPU an event "+
		"(--cpu-per-record, --cpu-per-write).\n", m.Count, m.VCPU, m.MemoryBytes/(1<<20), rate(m.Cores), m.CPUPerEvent)
	spell := func(seconds float64) string {
		return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	}
	if m.Takeover > 0 {
		fmt.Fprintf(out, "When a member ends without a drain, its partitions are counted again after %s, %s of these until Kafka notices.\n",
			spell(m.Takeover), detection)
	} else {
		fmt.Fprintln(out, "One partition has one member: nothing is counted until it is started again.")
	}
	switch {
	case m.CatchUp == 0:
		fmt.Fprintf(out, "The members never catch up with an outage at the peak: the limit is %s. Add vCPU, partitions or capacity.\n",
			m.CatchUpBy)
	default:
		fmt.Fprintf(out, "An hour's outage at the peak is caught up with after %s; the limit is %s.\n", spell(m.CatchUp), m.CatchUpBy)
	}
}

// PrintScaling shows a plan as values of the Helm chart, for KEDA.
func PrintScaling(out io.Writer, p Plan) error {
	w := p.Workload
	_, err := fmt.Fprintf(out, "# %s events a day at %g times the mean: members of %g vCPU at 70 %%, flushed within %v.\n"+
		"partitions: %d\nautoscaling:\n  enabled: true\n  maxReplicas: %d\n  lagThreshold: %d\n", count(w.EventsPerDay), w.Peak, p.Members.VCPU,
		max(w.Stats, w.Realtime, w.RealtimeMax), w.Partitions, w.Partitions, p.Members.LagThreshold)
	return err
}
