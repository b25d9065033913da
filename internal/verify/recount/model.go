package recount

import (
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/repeats"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/sinks"
)

// admissions are a chain's counts of sites that were never created.
type admissions struct {
	count.Step
	Sites  map[string]*count.Cell[*admission]
	losses []string                                     // of the count of new sites, by the id of the span, that the recount has met
	Hours  map[struct{}]*count.Cell[*count.LatestCount] // one cell
}

// admission is a site that the chain has admitted.
type admission struct {
	Position int64 // of the record that brought the site
	Unsure   bool  // the chain may have admitted other sites before a gap that it has passed
}

// Clone returns a copy; of nil, nil.
func (a *admission) Clone() *admission {
	if a == nil {
		return nil
	}
	return new(*a)
}

// Chain is a chain as the table has it, and the recount of its records.
type Chain struct {
	checkpoint.ChainID
	TP      sinks.TP
	Head    checkpoint.Head // that the recount has reached
	Eras    []era           // in order; the last step's own is the head's
	current era             // the last step's

	First        int64       // position of the chain's first record
	Skips        []Skip      // positions that an operator skipped, in order
	Forgotten    []forgotten // those that were folded before
	Gaps         int         // that the chain has passed: what it folded before the last is not what the log holds
	mirrors      []mirrored  // that it has continued in with the offsets of its topic, in order
	Undecided    bool        // one of them has left a step that may be in some of its items
	next         int64       // position of the next record to recount
	upTo         int64       // up to which position the log is being read
	Last         int64       // position of the last record that was recounted
	Began        int64       // position of the first record, if it was recounted; -1 if not
	Repeats      int64       // duplicates of the last step
	Edge         int64       // position from which the window of duplicates of the step edgeStep reaches
	EdgeStep     int64
	NotRecounted string // why its items cannot be recounted; "": they can
	Ahead        bool   // the log has a record that is dated after a bound which an earlier writer may have had

	seen     repeats.Sightings
	Admitted *admissions
	Stats    *Stats    // of the stats lane
	Realtime *Realtime // of the realtime lane
}

// era says which settings, and which rules of sites, held from a position on.
type era struct {
	From     int64
	Step     int64 // that begins there; 0: the head's own
	settings *checkpoint.Settings
	rules    sites.View
	believed int64 // last record time that a writer of raw events may have believed before their step began
}

// Skip is what an operator skipped: positions that no step has had, none if all of it lies in a step that is undecided.
type Skip struct {
	Span
	floor int64 // the window of duplicates does not reach below it
	since int64 // from this position on
}

// forgotten are such positions of a chain, and the position from which the window of duplicates does not reach below their end.
type forgotten struct {
	Span
	since int64
}

// mirrored is where a chain continued in a mirror of its topic: positions below to were folded from another topic, with the same offsets.
type mirrored struct {
	to    int64
	topic [16]byte
}

// Model is the recount: what the log says, as far as each chain has come with it.
type Model struct {
	*scope.Rulebook
	*finding.Tally
	Log       *topiclog.Log
	Ledger    ledger
	Pass      int             // from 1, of this run
	read      int64           // records in this pass so far
	Folding   bool            // the part of the sites may still become smaller
	Starts    map[int32]int64 // of the log, by partition
	Ends      map[int32]int64 // when the run began
	Chains    map[checkpoint.ChainID]*Chain
	Stats     []*Chain // of the stats lane, by partition
	Raw       Raw
	LostSpans Losses

	// The topic was created again: a raw event may be of a record that an owner had read, and no step had begun, when the
	// topic before was deleted. Its source does not say which topic that was.
	Recreated  bool
	decoder    *event.Decoder
	maps       map[string]*mapping.Mapping // by their texts
	schemas    *schemas.Book               // without a registry
	known      map[schemaIn]int64          // from which offset on
	Classifier *classify.Classifier        // of what is judged outside of a fold
}

// New returns a recount that has read nothing yet.
func New(rules *scope.Rulebook, found *finding.Tally, log *topiclog.Log) *Model {
	m := &Model{Rulebook: rules, Tally: found, Log: log, Ledger: ledger{bound: rules.Opts.Memory, sites: make(map[string]int64)},
		Chains: make(map[checkpoint.ChainID]*Chain), decoder: event.NewDecoder(), maps: make(map[string]*mapping.Mapping),
		Classifier: classify.New()}
	m.Raw = Raw{v: m, Sites: make(map[string]map[RawKey]RawEvent)}
	return m
}

// Span is a half-open range of offsets, or of positions.
type Span struct{ From, To int64 }

// Realtime is the fold of a chain of the realtime lane.
type Realtime struct {
	count.Step
	v          *Model
	chain      *Chain
	Sites      map[string]*count.SiteMinutes
	classifier *classify.Classifier
}

func newRealtimeRecount(v *Model, c *Chain) *Realtime {
	return &Realtime{v: v, chain: c, Sites: make(map[string]*count.SiteMinutes), classifier: classify.New()}
}

// Stats is the fold of a chain of the stats lane.
type Stats struct {
	count.Step
	v          *Model
	Chain      *Chain
	Sites      map[string]*count.Site
	Totals     checkpoint.Totals
	classifier *classify.Classifier
}

func newStatsRecount(v *Model, c *Chain) *Stats {
	return &Stats{v: v, Chain: c, Sites: make(map[string]*count.Site), classifier: classify.New(),
		Totals: checkpoint.Totals{Rejected: make(map[event.Reason]int64)}}
}
