package checkpoint

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// The lanes. Each is a chain of its own with its own flush interval.
const (
	LaneStats    = "stats"    // stats, uniques, sessions; raw and failed events; totals
	LaneRealtime = "realtime" // realtime minutes
)

// Lanes lists the lanes of every partition.
var Lanes = []string{LaneStats, LaneRealtime}

// Head is the head of a chain as its checkpoint holds it, one item per partition and lane: the last step, the positions [F, T) that
// it covers, and who may write the next. The attributes are k, f, t, d, ep, own, grp, grps, at, tid, base, ver, rev, totals,
// hist: the last step that has a history item, n, dup, gap, and seen.
//
// F and T are positions: offset plus Base. T-1 is always a data record.
type Head struct {
	Step     int64    // k; 0: the chain has not begun
	From, To int64    // f, t
	Done     bool     // d: every item of the step has answered
	Epoch    int64    // ep, raised by every takeover
	Owner    string   // own
	Group    string   // grp: the consumer group that it owns the chain for
	Groups   []string // grps: of the stats lane, the last groups, in the order in which each first took the chain; empty: Group alone
	TopicID  string   // of the topic the offsets belong to, in hex
	Base     int64    // position = offset + Base
	Ver      string   // Settings.String of the step
	Rev      int64    // revision of the sites' rules
	Totals   Totals   // as of T
	Next     int64    // n: how far the owner of a finished head has read past T without a data record; 0: no further
	Repeats  int64    // dup: how many records of the step are duplicates; a redo that finds others is none
	Win      int64    // win: the position from which the step's window of duplicates needs the log, as of F; 0: not recorded
	Seen     int64    // seen: the revision of the sites' rules that its owner knew when it was idle; steps from then on have no older one
	// Through is thr: the greatest Kafka timestamp that the last complete flush believed, in milliseconds; 0: not recorded. It says how
	// current the figures are, and nothing is decided by it.
	Through int64
	// FlushedAt is when the step was begun, or marked as done, by its owner's clock, in milliseconds: the one before it was
	// settled by then. It is at; nothing is decided by it.
	FlushedAt int64
	Gap       *Gap         // what keeps the chain from going on, or, accepted, what this step passes; nil: nothing
	Floor     int64        // floor: the window of duplicates does not reach below this position, the end of what was skipped last
	Forgot    *Forgotten   // forgot: what raised Floor last, if the chain had folded it; the history of its step names it, too; nil: nothing
	Undecided int64        // undec: end of the last step that a gap left undecided; sessions and hours of earlier steps may not match
	Known     KnownSchemas // ids: the schemas that its records are read by, of the stats lane
	Park      *Park        // why the partition is parked; in the stats lane's only; nil: it is not
}

// Totals say where the records of a partition ended, from the chain's beginning on. They are the stats lane's;
// every record is in exactly one of them.
type Totals struct {
	Counted     int64                  `json:"counted"`
	Duplicate   int64                  `json:"duplicate"`
	Rejected    map[event.Reason]int64 `json:"rejected,omitempty"`
	Sessionless int64                  `json:"sessionless"` // of the counted, those without a usable sessionId
}

// Records is the number of records that were judged.
func (t Totals) Records() int64 {
	n := t.Counted + t.Duplicate
	for _, r := range t.Rejected {
		n += r
	}
	return n
}

// Clone returns totals that share nothing with t.
func (t Totals) Clone() Totals {
	t.Rejected = maps.Clone(t.Rejected)
	return t
}

// Attribute names of checkpoints and histories.
const (
	AttrStep      = "k"
	AttrFrom      = "f"
	AttrTo        = "t"
	AttrDone      = "d"
	AttrEpoch     = "ep"
	AttrOwner     = "own"
	AttrGroup     = "grp"
	AttrGroups    = "grps" // as JSON
	AttrFlushedAt = "at"
	AttrTopic     = "tid"
	AttrBase      = "base"
	AttrVer       = "ver"
	AttrRules     = "rev"
	AttrTotals    = "totals"
	AttrHistory   = "hist" // the last step that has a history item
	AttrNext      = "n"
	AttrRepeats   = "dup"
	AttrFloor     = "floor"
	AttrWin       = "win"
	attrForgot    = "forgot"
	AttrMerged    = "merged"
	AttrUndecided = "undec"
	AttrThrough   = "thr"
	AttrKnown     = "ids"
	AttrSeen      = "seen" // the revision of the rules that an idle owner has recorded
)

// ReadHead makes a Head of a checkpoint's item. A nil item is a chain that has had no owner yet.
func ReadHead(it sinks.Item) (Head, error) {
	if err := checkKinds(it); err != nil {
		return Head{}, err
	}
	c := Head{
		Step: it[AttrStep].Int(), From: it[AttrFrom].Int(), To: it[AttrTo].Int(), Done: it[AttrDone].Int() == 1,
		Epoch: it[AttrEpoch].Int(), Owner: it[AttrOwner].Str(), Group: it[AttrGroup].Str(), FlushedAt: it[AttrFlushedAt].Int(),
		TopicID: it[AttrTopic].Str(), Base: it[AttrBase].Int(), Ver: it[AttrVer].Str(), Rev: it[AttrRules].Int(), Next: it[AttrNext].Int(),
		Repeats: it[AttrRepeats].Int(), Seen: it[AttrSeen].Int(), Floor: it[AttrFloor].Int(),
		Win:       it[AttrWin].Int(),
		Undecided: it[AttrUndecided].Int(), Through: it[AttrThrough].Int(),
	}
	if s := it[AttrTotals].Str(); s != "" {
		if err := json.Unmarshal([]byte(s), &c.Totals); err != nil {
			return c, sinks.Damaged(it.Key(), AttrTotals, err)
		}
	}
	if s := it[AttrGroups].Str(); s != "" {
		if err := json.Unmarshal([]byte(s), &c.Groups); err != nil {
			return c, sinks.Damaged(it.Key(), AttrGroups, err)
		}
	}
	var err error
	if c.Gap, err = readGap(it); err != nil {
		return c, err
	}
	if c.Forgot, err = readForgotten(it); err != nil {
		return c, err
	}
	if c.Known, err = readKnown(it); err != nil {
		return c, err
	}
	c.Park, err = ReadPark(it)
	return c, err
}

// checkKinds returns an error if a checkpoint has attributes of another type, or a step without the attributes that it needs. Taken for
// absent, they would begin the chain again.
func checkKinds(it sinks.Item) error {
	if it == nil {
		return nil
	}
	if wrong := sinks.WrongKinds(sinks.EntityCheckpoint, it); len(wrong) > 0 {
		return sinks.Damaged(it.Key(), wrong[0], sinks.ErrKind)
	}
	if it[AttrStep].Kind() != sinks.None {
		for _, name := range []string{AttrFrom, AttrTo, AttrDone, AttrTopic, AttrVer, AttrTotals} {
			if it[name].Kind() == sinks.None {
				return sinks.Damaged(it.Key(), name, sinks.ErrMissing)
			}
		}
	}
	return nil
}

// Position is where the chain's owner continues. That is the beginning of an open step, which must be repeated; or the end of the last
// step, and of what an owner found after it that is no data: markers of transactions, and records of aborted ones. Once retention
// has removed those from an idle partition, they are not missed.
func (c Head) Position() int64 {
	if c.Step > 0 && !c.Done {
		return c.From
	}
	return max(c.To, c.Next)
}

// Recorded is a revision of the sites' rules. No later step of the chain has an older one.
func (c Head) Recorded() int64 { return max(c.Rev, c.Seen) }

// Stand is where a chain stood: a takeover or an intent changes it.
type Stand struct{ epoch, step int64 }

func (c Head) Stand() Stand { return Stand{c.Epoch, c.Step} }

// Order lists the groups that have owned the chain, the first to come first.
func (c Head) Order() []string {
	if len(c.Groups) == 0 && c.Group != "" {
		return []string{c.Group}
	}
	return c.Groups
}

// LaterThan reports whether the chain is owned by a group that has come after another.
func (c Head) LaterThan(group string) bool {
	order := c.Order()
	i := slices.Index(order, group)
	return i >= 0 && slices.Index(order, c.Group) > i
}

// Skipped reports whether an operator has passed everything below an offset already.
func (c *Head) Skipped(to int64) bool { return c.Step > 0 && c.Floor >= to+c.Base }

// History says what held from one step of a chain on: one item at the first step, at every step whose ver, rev, base or
// topic id differ from those of the step before, and at every gap that was accepted.
type History struct {
	Step    int64
	From    int64 // position of the step's first record
	Ver     string
	Rev     int64
	Base    int64
	TopicID string
	Gap     *Gap // that the step passes; nil: none
	// Forgot is what an operator passed before the step, and the chain had folded: from the step on, the window of duplicates does
	// not reach below its end. nil: nothing.
	Forgot *Forgotten
	Merged int64 // up to this position the item stands for others, which are gone: see MergesOf; 0: for none
}

// ReadHistory makes a History of its item.
func ReadHistory(it sinks.Item) (h History, err error) {
	h = History{Step: it[AttrStep].Int(), From: it[AttrFrom].Int(), Ver: it[AttrVer].Str(),
		Rev: it[AttrRules].Int(), Base: it[AttrBase].Int(), TopicID: it[AttrTopic].Str(), Merged: it[AttrMerged].Int()}
	if h.Gap, err = readGap(it); err == nil {
		h.Forgot, err = readForgotten(it)
	}
	return h, err
}

func (h History) Item(key sinks.Key) sinks.Item {
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityHistory), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		AttrStep: sinks.Int(h.Step), AttrFrom: sinks.Int(h.From), AttrVer: sinks.Str(h.Ver), AttrRules: sinks.Int(h.Rev),
		AttrBase: sinks.Int(h.Base), AttrTopic: sinks.Str(h.TopicID),
	}
	if h.Gap != nil {
		a := h.Gap.Attr()
		it[a.Name] = a.Value
	}
	if h.Forgot != nil {
		a := h.Forgot.Attr()
		it[a.Name] = a.Value
	}
	return it
}

// Before is the end, exclusive, of the positions that the era before may have.
func (h History) Before(e History) int64 {
	if h.TopicID != e.TopicID && !h.mirrored() { // A new topic's first record may have an offset above 0.
		return min(h.From, h.Base)
	}
	return h.From
}
