package verify_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// notCompared names the attributes of which one damage or another cannot be noticed, and why. "*" is any type of item.
var notCompared = map[string]string{
	"checkpoint.own":  "the owner's name is for people, and nothing repeats it",
	"checkpoint.ep":   "how often a partition was taken over is known to the checkpoint alone",
	"checkpoint.grp":  "which group the owner is of is known to the checkpoint alone",
	"checkpoint.at":   "when it was taken over is known to the checkpoint alone",
	"checkpoint.k":    "a greater number is that of a chain whose last steps wrote no items",
	"checkpoint.f":    "where a step began that is done, and has no history, is known to the checkpoint alone",
	"checkpoint.n":    "how far an idle owner has read behind the last record is known to it alone",
	"checkpoint.seen": "which revision an idle owner has recorded is known to the checkpoint alone",
	"checkpoint.thr":  "up to which record's time it has flushed is known to it alone, and nothing that is counted follows from it",
	"checkpoint.d":    "an item that has the last step is right whether that is done or not",
	"chain history.f": "where a step in the middle of a chain began is known to its history alone: settings decide where they " +
		"differ",
	"table settings.sessionShards": "another possible number lays every session elsewhere: of a table without sessions it is not noticed",
	"table settings.topics":        "numbers are drawn that no topic gets",
	"hour stats.h{tp}":             "visitors that have outgrown the hour's item need not be there too",
	"session.prev":                 "it is compared where the last step has touched the session; else its form",
	"visitor.prev":                 "it is compared where the last step has touched the visitor; else its form",
	"site list entry.createdAt":    "when a site was listed decides nothing, but that it was does",
	"new sites.prevHour":           "it is compared where the last step has changed the item",
	"new sites.prevSites":          "it is compared where the last step has changed the item",
	"budget.prevMinute":            "it is compared where the last step has changed the item",
	"budget.prevSpent":             "it is compared where the last step has changed the item",
	"funnel.name":                  "a definition is what an operator has entered: nothing else has it",
	"funnel.steps":                 "as its name; steps that cannot be read are noticed",
	"funnel.windowMs":              "as its name; a window that cannot be is noticed",
	"funnel.strict":                "as its name",
	"funnel.version":               "how often it was changed is known to it alone",
	"funnel.createdAt":             "when it was created is known to it alone",
	"funnel.changedAt":             "when it was changed is known to it alone",
	"funnel.changedBy":             "who changed it is for people",
	"segment.where":                "its filters are what an operator has entered; those that cannot be read are noticed",
	"segment.createdAt":            "when it was created is known to it alone",
	"segment.createdBy":            "who created it is for people",
	"annotation.text":              "what it says is what people have entered; that there is a text is noticed",
	"annotation.createdAt":         "when it was created is known to it alone",
	"annotation.createdBy":         "who created it is for people",
	"verification.records":         "how many records there were then is known to it alone",
	"verification.topic":           "as its records",
	"verification.compared":        "as its records; what is no numbers is noticed",
	"verification.leftOut":         "as compared",
	"verification.rangeFrom":       "as its records; an empty range is noticed",
	"verification.rangeTo":         "as its records; an empty range is noticed",
	"verification.timeZone":        "as its records; what is no zone is noticed",
	"verification.behind":          "as its records",
	"token.siteIds":                "what a token allows is what an operator has entered; one that cannot be read is noticed",
	"token.limits":                 "as its sites",
	"token.note":                   "as its sites",
	"token.createdAt":              "when it was created is known to it alone",
	"token.createdBy":              "who created it is for people",
	"token.expiresAt":              "as its sites; one before its creation is noticed",
	"token.lastUsedOn":             "when it was used last is known to it alone; what is no day since its creation is noticed",
}

// typesElsewhere are types of items whose attributes other tests damage, or that verify does not read.
var typesElsewhere = map[string]string{
	"replay":  "the progress of a command over another topic, which this log says nothing of",
	"erasure": "the progress of a command; what it has left is compared",
	"purge":   "as of an erasure",
	"rules revision": "the log of decisions itself: what follows from the last of a site is compared, and a revision that cannot be read " +
		"is an error",
	"schema":        "a registry's answer, which this log says nothing of: one that cannot be read, or has another hash, is an error",
	"lost span":     "TestEveryAttributeOfALostSpan",
	"alert":         "what people have entered, and how far hours were judged, which decides no figure",
	"finding":       "what was found in an hour when it was judged: it stays as it is when later records change the hour",
	"damaged item":  "a copy for people, which the recount does not read",
	"journal entry": "what its logs say is compared as part of the hours that they are of; its other attributes are not compared",
	"month stats":   "TestEverySealedAttributeIsCompared", "sealed uniques of a day": "TestEverySealedAttributeIsCompared",
	"sealed uniques of a month": "TestEverySealedAttributeIsCompared", "sealed breakdown of a day": "TestEverySealedAttributeIsCompared",
	"sealed breakdown of a month": "TestEverySealedAttributeIsCompared",
}

// catalogued fills a world with items of all types that the recount reads.
func (w *world) catalogued() {
	w.t.Helper()
	w.aim()
	w.ration(plainSite, 1)
	w.countNew(plainSite)
	store := sites.FunnelStore{Table: w.table, By: "ada", Now: time.Now}
	steps := []sites.Pattern{{On: sites.OnEvent, Type: "page_view"}, {On: sites.OnEvent, Type: "buy"}}
	if _, err := store.Create(w.t.Context(), plainSite, sites.Funnel{ID: "way", Name: "Way", Steps: steps, Window: time.Hour}); err != nil {
		w.t.Fatal(err)
	}
	saved := segments.Store{Table: w.table, By: "ada", Now: time.Now}
	if _, err := saved.Create(w.t.Context(), plainSite, "germany", []string{"country=DE"}); err != nil {
		w.t.Fatal(err)
	}
	tokens := access.Store{Table: w.table, By: "ada", Now: time.Now}
	share := access.Stored{Kind: access.Share, Sites: []string{plainSite}, Rights: []access.Right{access.Read}, Note: "a share link",
		Limits: access.Limits{From: "-30d"}, ExpiresAt: time.Now().Add(time.Hour)}
	_, link, err := tokens.Create(w.t.Context(), share)
	if err != nil {
		w.t.Fatal(err)
	}
	keeper := access.NewKeeper(access.KeeperOptions{Table: w.table, Now: time.Now})
	if _, err := keeper.Grant(w.t.Context(), link); err != nil {
		w.t.Fatal(err)
	}
	w.first()
	w.pipeline()
	w.recorded()
	notes := annotations.Store{Table: w.table, By: "ada", Now: time.Now}
	if _, err := notes.Create(w.t.Context(), plainSite, time.Now(), "a release"); err != nil {
		w.t.Fatal(err)
	}
	w.packed = true
	w.second()
	w.pipeline()
}

// recorded keeps the result of a recount of a site and of all sites.
func (w *world) recorded() {
	w.t.Helper()
	for _, site := range []string{"", plainSite} {
		o := scope.Options{Kafka: w.kafka(), Topic: w.topic, Table: w.table.Table, Site: site, From: time.UnixMilli(1),
			To: time.UnixMilli(1 << 42)}
		r, err := verify.Run(w.t.Context(), o)
		if err == nil {
			err = verified.Write(w.t.Context(), w.table, sinks.Keys{}, r.Result(site))
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// judgedBy are types of items by which others are judged: their damage is noticed at those, too.
var judgedBy = []string{"checkpoint", "chain history", "table settings", "topic", "metadata", "site list entry"}

// TestEveryAttributeOfTheCatalogue damages each attribute of one item of each type, and wants verify to notice each damage: a
// difference, an error, or an exit code that is not 0. What it need not notice is named above with its reason.
func TestEveryAttributeOfTheCatalogue(t *testing.T) {
	fewer := slow.Fewer(t)
	slow.Unraced(t)
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.catalogued()
		want(t, "undamaged", w.verify(nil), 0)
		items := make(map[string]sinks.Item)
		for _, it := range w.snapshot() {
			if m, ok := sinks.Find(it.Key(), it, sinks.DefaultShards); ok && rank(it) > rank(items[m.Type.Name]) &&
				m.Fields.Lane != checkpoint.LaneRealtime {
				items[m.Type.Name] = it
			}
		}
		var together, alone []damage
		excused := make(map[string]bool) // by text, those that need not be noticed
		for _, item := range sinks.Catalogue() {
			if typesElsewhere[item.Name] != "" {
				continue
			}
			it := items[item.Name]
			if it == nil {
				t.Errorf("the table has no %s", item.Name)
				continue
			}
			for _, name := range append(slices.Sorted(maps.Keys(it)), "stranger") {
				if name == sinks.AttrPK || name == sinks.AttrSK {
					continue
				}
				attr := name
				if a, _, ok := item.Attribute(name); ok {
					attr = a.Name
				}
				for how, bad := range damages(name, it[name]) {
					d := damaged(item.Name+": "+name+" "+how, it, name, bad)
					if !fewer || slices.Contains(judgedBy, item.Name) {
						alone = append(alone, d)
					} else {
						together = append(together, d)
					}
					// Of a step that is done a mark says that it is none to come.
					if notCompared[item.Name+"."+attr] != "" || strings.HasPrefix(attr, "w") && strings.HasSuffix(attr, "{tp}") && how != "another kind" {
						excused[d.text] = true
					}
				}
			}
		}
		t.Logf("%d changes of %d types", len(together)+len(alone), len(items))
		for _, d := range append(alone, w.overlooked(together)...) {
			if fewer && excused[d.text] {
				continue
			}
			w.set(d.it.Key(), d.bad)
			if !w.notices() && !excused[d.text] {
				t.Errorf("%s was not noticed", d.text)
			}
			w.set(d.it.Key(), d.it)
		}
		want(t, "put back", w.verify(nil), 0)
	})
}

// overlooked damages one attribute of every item at a time, and returns the damages that were not reported at their items.
func (w *world) overlooked(all []damage) (overlooked []damage) {
	w.t.Helper()
	for len(all) > 0 {
		var now, later []damage
		for _, d := range all {
			if slices.ContainsFunc(now, func(o damage) bool { return o.key == d.key }) {
				later = append(later, d)
				continue
			}
			now = append(now, d)
			w.set(d.key, d.bad)
		}
		r, err := verify.Run(w.t.Context(), scope.Options{Kafka: w.kafka(), Topic: w.topic, Table: w.table.Table})
		for _, d := range now {
			w.set(d.key, d.it)
			if err != nil || !slices.ContainsFunc(r.Differences, func(o finding.Difference) bool { return isAt(o, d.key) }) {
				overlooked = append(overlooked, d)
			}
		}
		all = later
	}
	return overlooked
}

// notices reports whether verify finds anything wrong.
func (w *world) notices() bool {
	w.t.Helper()
	r, err := verify.Run(w.t.Context(), scope.Options{Kafka: w.kafka(), Topic: w.topic, Table: w.table.Table})
	return err != nil || r.ExitCode() != 0
}

// damages are ways in which a value can be wrong.
func damages(name string, v sinks.Value) map[string]sinks.Value {
	switch v.Kind() {
	case sinks.None:
		return map[string]sinks.Value{"added": sinks.Int(1)}
	case sinks.Number:
		bad := map[string]sinks.Value{"one more": sinks.Int(v.Int() + 1)}
		if v.Int() != 0 {
			bad["removed"] = sinks.Value{}
		}
		return bad
	case sinks.String:
		if strings.HasPrefix(name, "gsi") {
			return map[string]sinks.Value{"another text": sinks.Str(v.Str() + "x")}
		}
		return map[string]sinks.Value{"removed": {}, "another text": sinks.Str(v.Str() + "x")}
	case sinks.Binary:
		return map[string]sinks.Value{"removed": {}, "damaged": sinks.Bytes(append(slices.Clone(v.Bytes()), 0))}
	}
	return map[string]sinks.Value{"removed": {}, "one more": sinks.Strings(append(slices.Clone(v.Strings()), "stranger"))}
}
