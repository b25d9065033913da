package verify

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Every attribute of checkpoints and histories is compared with the log, with the recount, and with each other. Some follow from
// nothing but themselves: of those the form alone is compared, and TestEveryAttributeOfTheCatalogue names them.

// chainAudit compares checkpoints and histories.
type chainAudit struct {
	*model
	read map[sinks.Key]sinks.Item // checkpoints and histories, as they were read last
	seen map[sinks.Key]bool       // histories that were compared
}

// newChainAudit returns an audit that goes by a recount.
func newChainAudit(m *model) *chainAudit { return &chainAudit{model: m, seen: make(map[sinks.Key]bool)} }

// compareChains compares the items of all chains of the topic, as they were read last, when the recounts have reached them.
func (v *chainAudit) compareChains(all checkpoint.ChainStates) {
	for id, t := range all {
		key := v.keys.Checkpoint(sinks.TP{Topic: v.number, Partition: id.Partition}, id.Lane)
		if !slices.Contains(checkpoint.Lanes, id.Lane) {
			v.differ(Difference{Kind: kindCheckpoint, PK: key.PK, SK: key.SK, Attribute: whole, Table: "present", Recount: "no lane of that name"})
			continue
		}
		it := v.read[key]
		if it == nil {
			v.differ(Difference{Kind: kindCheckpoint, PK: key.PK, SK: key.SK, Attribute: whole, Table: absent,
				Recount: "the checkpoint of these histories"})
			continue
		}
		v.compareHead(id, t, it)
		for _, h := range t.History {
			hkey := v.keys.History(sinks.TP{Topic: v.number, Partition: id.Partition}, id.Lane, h.Step)
			if h.Step <= t.Head.Step {
				v.compareHistory(id, t, h, v.read[hkey], hkey)
			}
		}
	}
	for key, it := range v.read {
		if !v.seen[key] && len(strings.Split(key.SK, "#")) == 4 && it["k"].Int() <= v.lastStep(all) {
			v.differ(Difference{Kind: kindHistory, PK: key.PK, SK: key.SK, Attribute: "k", Table: show(it["k"]),
				Recount: "the step that the key spells"})
		}
	}
}

// lastStep is the greatest step of any chain.
func (v *chainAudit) lastStep(all checkpoint.ChainStates) (step int64) {
	for _, t := range all {
		step = max(step, t.Head.Step)
	}
	return step
}

func (v *chainAudit) compareHead(id checkpoint.ChainID, t checkpoint.ChainState, it sinks.Item) {
	c := compareItem(kindCheckpoint, it)
	chain, head := v.chains[id], t.Head
	c.between("ep", 1, 1<<53)
	c.kindIs("own", sinks.String)
	c.ignore("k", "f", "t", "d", "base", "rev", "tid", "ver", "totals", "hist", "n", "dup", "win", "thr", "seen", "floor", "undec", "gap",
		"forgot")
	if chain != nil {
		for _, name := range []string{"k", "f", "t", "base", "rev", "hist"} {
			c.kindIs(name, sinks.Number)
		}
		c.form(v, it)
		if d := it["d"]; d.Kind() != sinks.None && (d.Kind() != sinks.Number || d.Int() < 0 || d.Int() > 1) {
			c.differ("d", show(d), "0 or 1")
		}
		c.headNumbers(v, chain, t)
	} else if head.Step != 0 {
		c.differ("k", show(it["k"]), absent)
	}
	c.others(sinks.EntityCheckpoint)
	c.common(sinks.EntityCheckpoint, "")
	v.differ(c.differences...)
}

// headNumbers compares what a checkpoint says of its last step.
func (c *comparison) headNumbers(v *chainAudit, chain *chain, t checkpoint.ChainState) {
	head, it := t.Head, c.item
	var last checkpoint.History
	for _, h := range t.History {
		if h.Step <= head.Step {
			last = h
		}
	}
	switch {
	case last.Step > 0 && it["hist"].Int() != last.Step && (head.Done || it["hist"].Int() != head.Step):
		c.differ("hist", show(it["hist"]), fmt.Sprint(last.Step))
	case last.Step == head.Step && head.From != last.From && last.Step > 0:
		c.differ("f", show(it["f"]), fmt.Sprintf("%d, which the history of the step has", last.From))
	}
	if head.From >= head.To {
		c.differ("f", show(it["f"]), fmt.Sprintf("less than %d", head.To))
	}
	if n := it["n"]; n.Kind() != sinks.None && n.Int() != 0 && (n.Kind() != sinks.Number || !head.Done || n.Int() < head.To) {
		c.differ("n", show(n), fmt.Sprintf("0, or %d and more of a step that is done", head.To))
	} else if end, ok := v.ends[chain.Partition]; ok && chain.notRecounted == "" && n.Int() > max(end+head.Base, head.To) {
		c.differ("n", show(n), fmt.Sprintf("%d at most, where the log ends", end+head.Base))
	}
	if n := it["seen"]; n.Kind() != sinks.None && (n.Kind() != sinks.Number || n.Int() < 0 || n.Int() > v.rules.Rev() ||
		chain.Lane != checkpoint.LaneStats) {
		c.differ("seen", show(n), fmt.Sprintf("a revision, %d at most", v.rules.Rev()))
	}
	floor := int64(0)
	for _, s := range chain.skips {
		floor = max(floor, s.to)
	}
	for _, f := range chain.forgotten {
		floor = max(floor, f.to)
	}
	c.headForgot(t)
	if n := it["floor"]; n.Int() != floor && chain.notRecounted == "" || n.Kind() != sinks.None && n.Kind() != sinks.Number {
		c.differ("floor", show(n), fmt.Sprint(floor))
	}
	if n := it["win"]; n.Kind() != sinks.None && (n.Kind() != sinks.Number || n.Int() < 0 || chain.edgeStep == head.Step &&
		chain.notRecounted == "" && n.Int() > chain.edge) {
		c.differ("win", show(n), fmt.Sprintf("%d at most, from where the window of duplicates reaches", chain.edge))
	}
	if n := it["thr"]; n.Kind() != sinks.None && (n.Kind() != sinks.Number || n.Int() <= 0) {
		c.differ("thr", show(n), "a Kafka timestamp")
	}
	undecided := int64(0)
	for _, h := range t.History {
		if h.Step <= head.Step && h.Gap != nil && h.Gap.UndecidedFrom < h.Gap.UndecidedTo {
			undecided = max(undecided, h.Gap.UndecidedTo)
		}
	}
	if n := it["undec"]; n.Int() != undecided || n.Kind() != sinks.None && n.Kind() != sinks.Number {
		c.differ("undec", show(n), fmt.Sprint(undecided))
	}
	if totals := head.Totals; chain.Lane != checkpoint.LaneStats && (totals.Records() != 0 || totals.Sessionless != 0) {
		c.differ("totals", show(it["totals"]), "none, which are of the stats lane")
	}
	if chain.notRecounted != "" {
		return
	}
	if have := it["dup"]; have.Int() != chain.repeats || have.Kind() != sinks.Number && have.Kind() != sinks.None {
		c.differ("dup", show(have), fmt.Sprint(chain.repeats))
	}
	if chain.last >= head.From && chain.last+1 != head.To {
		c.differ("t", show(it["t"]), fmt.Sprintf("%d, the position after the last record", chain.last+1))
	}
}

// headForgot compares what a checkpoint says of folded positions that an operator passed with the history of the step that names them.
func (c *comparison) headForgot(t checkpoint.ChainState) {
	var named *checkpoint.Forgotten
	for _, h := range t.History {
		if h.Step <= t.Head.Step && h.Forgot != nil {
			named = h.Forgot
		}
	}
	have := t.Head.Forgot
	switch {
	case have == nil && named != nil:
		c.differ("forgot", absent, fmt.Sprintf("the history of step %d names positions [%d,%d)", named.Step, named.From, named.To))
	case have != nil && have.Step > t.Head.Step+1, have != nil && have.Step <= t.Head.Step && t.Head.Done && (named == nil || *have != *named):
		c.differ("forgot", show(c.item["forgot"]), fmt.Sprintf("what the history of its step names, or step %d", t.Head.Step+1))
	}
}

// form compares what checkpoints and histories both have with the form that a writer gives it.
func (c *comparison) form(v *chainAudit, it sinks.Item) {
	if s, err := checkpoint.ParseSettings(it["ver"].Str()); err != nil || s.String() != it["ver"].Str() {
		c.differ("ver", show(it["ver"]), "settings as a flush spells them")
	}
	if rev := it["rev"].Int(); rev < 0 || rev > v.rules.Rev() {
		c.differ("rev", show(it["rev"]), fmt.Sprintf("a revision, %d at most", v.rules.Rev()))
	}
	if b, err := hex.DecodeString(it["tid"].Str()); err != nil || len(b) != 16 {
		c.differ("tid", show(it["tid"]), "the id of a topic, 32 digits")
	} else if !v.recreatedTopic(it) && it["tid"].Str() != v.log.HexID() {
		c.differ("tid", show(it["tid"]), v.log.HexID())
	}
	c.canonical(it, "gap", new(checkpoint.Gap))
	c.canonical(it, "forgot", new(checkpoint.Forgotten))
	c.canonical(it, "totals", new(checkpoint.Totals))
}

// recreatedTopic reports whether an item may be of a topic of the same name that was deleted: another item then names it too.
func (v *chainAudit) recreatedTopic(it sinks.Item) bool {
	same := 0
	for _, other := range v.read {
		if other["tid"].Str() == it["tid"].Str() {
			same++
		}
	}
	return same > 1
}

// canonical compares a JSON text with what a writer makes of its content.
func (c *comparison) canonical(it sinks.Item, attr string, into any) {
	text := it[attr]
	if text.Kind() == sinks.None {
		return
	}
	d := json.NewDecoder(strings.NewReader(text.Str()))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	b, _ := json.Marshal(into)
	if err != nil || string(b) != text.Str() {
		c.differ(attr, show(text), "JSON as a flush spells it")
	}
}

func (v *chainAudit) compareHistory(id checkpoint.ChainID, t checkpoint.ChainState, h checkpoint.History, it sinks.Item, key sinks.Key) {
	c := &comparison{kind: kindHistory, key: key, item: it, known: map[string]bool{sinks.AttrPK: true, sinks.AttrSK: true}}
	v.seen[key] = it != nil
	if it == nil {
		c.differ("k", fmt.Sprint(h.Step), "the step that the key spells")
		v.differ(c.differences...)
		return
	}
	for _, name := range []string{"k", "f", "rev", "base"} {
		c.kindIs(name, sinks.Number)
	}
	c.ignore("ver", "tid", "gap", "forgot")
	if f := h.Forgot; f != nil && (f.Step != h.Step || f.From >= f.To || f.To > h.From) {
		c.differ("forgot", show(it["forgot"]), fmt.Sprintf("positions before %d, and step %d", h.From, h.Step))
	}
	c.form(v, it)
	chain := v.chains[id]
	if chain != nil && chain.notRecounted == "" && h.Step == 1 && h.Gap == nil && chain.began >= 0 && chain.began != h.From {
		c.differ("f", show(it["f"]), fmt.Sprintf("%d, the position of the first record", chain.began))
	}
	if h.From >= t.Head.To || h.Step == t.Head.Step && h.From != t.Head.From {
		c.differ("f", show(it["f"]), fmt.Sprintf("%d, as the checkpoint has it", t.Head.From))
	}
	if h.Base != t.Head.Base && h.TopicID == t.Head.TopicID && !passesGap(t, h.Step) {
		c.differ("base", show(it["base"]), fmt.Sprint(t.Head.Base))
	}
	c.others(sinks.EntityHistory)
	c.common(sinks.EntityHistory, "")
	v.differ(c.differences...)
}

// passesGap reports whether a step after the given one passes a gap. If the log was truncated, the base is raised there, so that
// positions do not go back.
func passesGap(t checkpoint.ChainState, step int64) bool {
	return t.Head.Gap != nil || slices.ContainsFunc(t.History, func(h checkpoint.History) bool { return h.Step > step && h.Gap != nil })
}

// others passes over attributes that only the item knows, if they are of the type that the catalogue says.
func (c *comparison) others(entity string) {
	t, _ := sinks.EntityType(entity)
	for name, v := range c.item {
		if a, _, ok := t.Attribute(name); ok && a.Kind == v.Kind() && name != sinks.AttrEntity && name != sinks.AttrSchema {
			c.ignore(name)
		}
	}
}
