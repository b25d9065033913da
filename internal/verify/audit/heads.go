package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Every attribute of checkpoints and histories is compared with the log, with the recount, and with each other. Some follow from
// nothing but themselves: of those the form alone is compared, and TestEveryAttributeOfTheCatalogue names them.

// Audit compares checkpoints and histories.
type Audit struct {
	*recount.Model
	read map[sinks.Key]sinks.Item // checkpoints and histories, as they were read last
	seen map[sinks.Key]bool       // histories that were compared
}

// New returns an audit that goes by a recount.
func New(m *recount.Model) *Audit { return &Audit{Model: m, seen: make(map[sinks.Key]bool)} }

// CompareChains compares the items of all chains of the topic, as they were read last, when the recounts have reached them.
func (v *Audit) CompareChains(all checkpoint.ChainStates) {
	for id, t := range all {
		key := v.Keys.Checkpoint(sinks.TP{Topic: v.Number, Partition: id.Partition}, id.Lane)
		if !slices.Contains(checkpoint.Lanes, id.Lane) {
			v.Differ(finding.Difference{Kind: finding.KindCheckpoint, PK: key.PK, SK: key.SK, Attribute: finding.Whole, Table: "present",
				Recount: "no lane of that name"})
			continue
		}
		it := v.read[key]
		if it == nil {
			v.Differ(finding.Difference{Kind: finding.KindCheckpoint, PK: key.PK, SK: key.SK, Attribute: finding.Whole, Table: finding.Absent,
				Recount: "the checkpoint of these histories"})
			continue
		}
		v.compareHead(id, t, it)
		for _, h := range t.History {
			hkey := v.Keys.History(sinks.TP{Topic: v.Number, Partition: id.Partition}, id.Lane, h.Step)
			if h.Step <= t.Head.Step {
				v.compareHistory(id, t, h, v.read[hkey], hkey)
			}
		}
	}
	for key, it := range v.read {
		if !v.seen[key] && len(strings.Split(key.SK, "#")) == 4 && it["k"].Int() <= v.lastStep(all) {
			v.Differ(finding.Difference{Kind: finding.KindHistory, PK: key.PK, SK: key.SK, Attribute: "k", Table: finding.Show(it["k"]),
				Recount: "the step that the key spells"})
		}
	}
}

// lastStep is the greatest step of any chain.
func (v *Audit) lastStep(all checkpoint.ChainStates) (step int64) {
	for _, t := range all {
		step = max(step, t.Head.Step)
	}
	return step
}

func (v *Audit) compareHead(id checkpoint.ChainID, t checkpoint.ChainState, it sinks.Item) {
	c := finding.CompareItem(finding.KindCheckpoint, it)
	chain, head := v.Chains[id], t.Head
	c.Between("ep", 1, 1<<53)
	c.KindIs("own", sinks.String)
	c.Ignore("k", "f", "t", "d", "base", "rev", "tid", "ver", "totals", "hist", "n", "dup", "win", "thr", "seen", "ids", "floor", "undec",
		"gap", "forgot")
	if chain != nil {
		for _, name := range []string{"k", "f", "t", "base", "rev", "hist"} {
			c.KindIs(name, sinks.Number)
		}
		compareForm(c, v, it)
		if d := it["d"]; d.Kind() != sinks.None && (d.Kind() != sinks.Number || d.Int() < 0 || d.Int() > 1) {
			c.Differ("d", finding.Show(d), "0 or 1")
		}
		compareHeadNumbers(c, v, chain, t)
	} else if head.Step != 0 {
		c.Differ("k", finding.Show(it["k"]), finding.Absent)
	}
	compareOthers(c, sinks.EntityCheckpoint)
	c.Common(sinks.EntityCheckpoint, "")
	v.Differ(c.Differences...)
}

// compareHeadNumbers compares what a checkpoint says of its last step.
func compareHeadNumbers(c *finding.Comparison, v *Audit, chain *recount.Chain, t checkpoint.ChainState) {
	head, it := t.Head, c.Item
	compareHeadSpan(c, t)
	if n := it["n"]; n.Kind() != sinks.None && n.Int() != 0 && (n.Kind() != sinks.Number || !head.Done || n.Int() < head.To) {
		c.Differ("n", finding.Show(n), fmt.Sprintf("0, or %d and more of a step that is done", head.To))
	} else if end, ok := v.Ends[chain.Partition]; ok && chain.NotRecounted == "" && n.Int() > max(end+head.Base, head.To) {
		c.Differ("n", finding.Show(n), fmt.Sprintf("%d at most, where the log ends", end+head.Base))
	}
	if n := it["seen"]; n.Kind() != sinks.None && (n.Kind() != sinks.Number || n.Int() < 0 || n.Int() > v.Rules.Rev() ||
		chain.Lane != checkpoint.LaneStats) {
		c.Differ("seen", finding.Show(n), fmt.Sprintf("a revision, %d at most", v.Rules.Rev()))
	}
	floor := int64(0)
	for _, s := range chain.Skips {
		floor = max(floor, s.To)
	}
	for _, f := range chain.Forgotten {
		floor = max(floor, f.To)
	}
	compareHeadForgot(c, t)
	if n := it["floor"]; n.Int() != floor && chain.NotRecounted == "" || n.Kind() != sinks.None && n.Kind() != sinks.Number {
		c.Differ("floor", finding.Show(n), fmt.Sprint(floor))
	}
	if n := it["win"]; n.Kind() != sinks.None && (n.Kind() != sinks.Number || n.Int() < 0 || chain.EdgeStep == head.Step &&
		chain.NotRecounted == "" && n.Int() > chain.Edge) {
		c.Differ("win", finding.Show(n), fmt.Sprintf("%d at most, from where the window of duplicates reaches", chain.Edge))
	}
	if n := it["thr"]; n.Kind() != sinks.None && (n.Kind() != sinks.Number || n.Int() <= 0) {
		c.Differ("thr", finding.Show(n), "a Kafka timestamp")
	}
	undecided := int64(0)
	for _, h := range t.History {
		if h.Step <= head.Step && h.Gap != nil && h.Gap.UndecidedFrom < h.Gap.UndecidedTo {
			undecided = max(undecided, h.Gap.UndecidedTo)
		}
	}
	if n := it["undec"]; n.Int() != undecided || n.Kind() != sinks.None && n.Kind() != sinks.Number {
		c.Differ("undec", finding.Show(n), fmt.Sprint(undecided))
	}
	if totals := head.Totals; chain.Lane != checkpoint.LaneStats && (totals.Records() != 0 || totals.Sessionless != 0) {
		c.Differ("totals", finding.Show(it["totals"]), "none, which are of the stats lane")
	}
	if chain.NotRecounted != "" {
		return
	}
	if have := it["dup"]; have.Int() != chain.Repeats || have.Kind() != sinks.Number && have.Kind() != sinks.None {
		c.Differ("dup", finding.Show(have), fmt.Sprint(chain.Repeats))
	}
	if chain.Last >= head.From && chain.Last+1 != head.To {
		c.Differ("t", finding.Show(it["t"]), fmt.Sprintf("%d, the position after the last record", chain.Last+1))
	}
}

// compareHeadSpan compares the positions of a checkpoint's step with the history of the chain.
func compareHeadSpan(c *finding.Comparison, t checkpoint.ChainState) {
	head, it := t.Head, c.Item
	var last checkpoint.History
	for _, h := range t.History {
		if h.Step <= head.Step {
			last = h
		}
	}
	switch {
	case last.Step > 0 && it["hist"].Int() != last.Step && (head.Done || it["hist"].Int() != head.Step):
		c.Differ("hist", finding.Show(it["hist"]), fmt.Sprint(last.Step))
	case last.Step == head.Step && head.From != last.From && last.Step > 0:
		c.Differ("f", finding.Show(it["f"]), fmt.Sprintf("%d, which the history of the step has", last.From))
	}
	if passesGap := last.Step == head.Step && last.Gap != nil; head.From > head.To || head.From == head.To && !passesGap {
		c.Differ("f", finding.Show(it["f"]), fmt.Sprintf("less than %d", head.To))
	}
}

// compareHeadForgot compares what a checkpoint says of folded positions that an operator passed with the history of the step that names
// them.
func compareHeadForgot(c *finding.Comparison, t checkpoint.ChainState) {
	var named *checkpoint.Forgotten
	for _, h := range t.History {
		if h.Step <= t.Head.Step && h.Forgot != nil {
			named = h.Forgot
		}
	}
	have := t.Head.Forgot
	switch {
	case have == nil && named != nil:
		c.Differ("forgot", finding.Absent, fmt.Sprintf("the history of step %d names positions [%d,%d)", named.Step, named.From, named.To))
	case have != nil && have.Step > t.Head.Step+1, have != nil && have.Step <= t.Head.Step && t.Head.Done && (named == nil || *have != *named):
		c.Differ("forgot", finding.Show(c.Item["forgot"]), fmt.Sprintf("what the history of its step names, or step %d", t.Head.Step+1))
	}
}

// compareForm compares what checkpoints and histories both have with the form that a writer gives it.
func compareForm(c *finding.Comparison, v *Audit, it sinks.Item) {
	if s, err := checkpoint.ParseSettings(it["ver"].Str()); err != nil || s.String() != it["ver"].Str() {
		c.Differ("ver", finding.Show(it["ver"]), "settings as a flush spells them")
	}
	if rev := it["rev"].Int(); rev < 0 || rev > v.Rules.Rev() {
		c.Differ("rev", finding.Show(it["rev"]), fmt.Sprintf("a revision, %d at most", v.Rules.Rev()))
	}
	if b, err := hex.DecodeString(it["tid"].Str()); err != nil || len(b) != 16 {
		c.Differ("tid", finding.Show(it["tid"]), "the id of a topic, 32 digits")
	} else if !v.recreatedTopic(it) && it["tid"].Str() != v.Log.HexID() {
		c.Differ("tid", finding.Show(it["tid"]), v.Log.HexID())
	}
	compareCanonical(c, it, "gap", new(checkpoint.Gap))
	compareCanonical(c, it, "forgot", new(checkpoint.Forgotten))
	compareCanonical(c, it, "totals", new(checkpoint.Totals))
}

// recreatedTopic reports whether an item may be of a topic of the same name that was deleted: another item then names it too.
func (v *Audit) recreatedTopic(it sinks.Item) bool {
	same := 0
	for _, other := range v.read {
		if other["tid"].Str() == it["tid"].Str() {
			same++
		}
	}
	return same > 1
}

// compareCanonical compares a JSON text with what a writer makes of its content.
func compareCanonical(c *finding.Comparison, it sinks.Item, attr string, into any) {
	text := it[attr]
	if text.Kind() == sinks.None {
		return
	}
	d := json.NewDecoder(strings.NewReader(text.Str()))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	b, _ := json.Marshal(into)
	if err != nil || string(b) != text.Str() {
		c.Differ(attr, finding.Show(text), "JSON as a flush spells it")
	}
}

func (v *Audit) compareHistory(id checkpoint.ChainID, t checkpoint.ChainState, h checkpoint.History, it sinks.Item, key sinks.Key) {
	c := &finding.Comparison{Kind: finding.KindHistory, Key: key, Item: it, Known: map[string]bool{sinks.AttrPK: true, sinks.AttrSK: true}}
	v.seen[key] = it != nil
	if it == nil {
		c.Differ("k", fmt.Sprint(h.Step), "the step that the key spells")
		v.Differ(c.Differences...)
		return
	}
	for _, name := range []string{"k", "f", "rev", "base"} {
		c.KindIs(name, sinks.Number)
	}
	c.Ignore("ver", "tid", "gap", "forgot")
	if f := h.Forgot; f != nil && (f.Step != h.Step || f.From >= f.To || f.To > h.From) {
		c.Differ("forgot", finding.Show(it["forgot"]), fmt.Sprintf("positions before %d, and step %d", h.From, h.Step))
	}
	compareForm(c, v, it)
	if m, held := it["merged"], v.Starts[id.Partition]+t.Head.Base; m.Kind() != sinks.None &&
		(m.Kind() != sinks.Number || m.Int() <= h.From || m.Int() > held) {
		c.Differ("merged", finding.Show(m), fmt.Sprintf("after %d, and at most %d, where the log begins", h.From, held))
	}
	chain := v.Chains[id]
	if chain != nil && chain.NotRecounted == "" && h.Step == 1 && h.Gap == nil && chain.Began >= 0 && chain.Began != h.From {
		c.Differ("f", finding.Show(it["f"]), fmt.Sprintf("%d, the position of the first record", chain.Began))
	}
	if h.From > t.Head.To || h.From == t.Head.To && h.Gap == nil || h.Step == t.Head.Step && h.From != t.Head.From {
		c.Differ("f", finding.Show(it["f"]), fmt.Sprintf("%d, as the checkpoint has it", t.Head.From))
	}
	if h.Base != t.Head.Base && h.TopicID == t.Head.TopicID && !passesGap(t, h.Step) {
		c.Differ("base", finding.Show(it["base"]), fmt.Sprint(t.Head.Base))
	}
	compareOthers(c, sinks.EntityHistory)
	c.Common(sinks.EntityHistory, "")
	v.Differ(c.Differences...)
}

// passesGap reports whether a step after the given one passes a gap. If the log was truncated, the base is raised there, so that
// positions do not go back.
func passesGap(t checkpoint.ChainState, step int64) bool {
	return t.Head.Gap != nil || slices.ContainsFunc(t.History, func(h checkpoint.History) bool { return h.Step > step && h.Gap != nil })
}

// compareOthers passes over attributes that only the item knows, if they are of the type that the catalogue says.
func compareOthers(c *finding.Comparison, entity string) {
	t, _ := sinks.EntityType(entity)
	for name, v := range c.Item {
		if a, _, ok := t.Attribute(name); ok && a.Kind == v.Kind() && name != sinks.AttrEntity && name != sinks.AttrSchema {
			c.Ignore(name)
		}
	}
}

// SameHead reports whether a and b agree in what a comparison depends on.
func SameHead(a, b checkpoint.Head) bool {
	return a.Step == b.Step && a.From == b.From && a.To == b.To && a.Done == b.Done && a.Base == b.Base && a.TopicID == b.TopicID
}

// LoadHeads reads all checkpoints and histories of the topic. A checkpoint is read before its histories: only the
// history of its last step may be missing.
func (v *Audit) LoadHeads(ctx context.Context) (checkpoint.ChainStates, error) {
	all := make(checkpoint.ChainStates)
	pk, prefix := v.Keys.Checkpoints(v.Number)
	v.read = make(map[sinks.Key]sinks.Item)
	for it, err := range v.Items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err == nil {
			v.read[it.Key()] = it
			err = all.Add(it)
		}
		if err != nil {
			return nil, fmt.Errorf("read the checkpoints: %w", err)
		}
	}
	return all, nil
}
