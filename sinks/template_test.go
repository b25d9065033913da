package sinks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

func TestTemplatesAreSpelledAsDesigned(t *testing.T) {
	want := map[string][]string{
		"table settings":   {"PIPELINE", "TABLE"},
		"topic":            {"PIPELINE", "TOPIC#{topic}"},
		"checkpoint":       {"CHAIN#{topic number}", "P#{partition}#{lane}"},
		"chain history":    {"CHAIN#{topic number}", "P#{partition}#{lane}#{k16}"},
		"replay":           {"CHAIN#{topic number}", "REPLAY#{topic}#{partition}"},
		"site list entry":  {"SITES#{nn}", "{site}"},
		"site":             {"SITE#{site}", "METADATA", "OWNER#{owner}", "SITE#{site}"},
		"event":            {"SITE#{site}#SHARD#{nn}", "EVENT#{ulid}"},
		"session":          {"SITE#{site}#SHARD#{nn}", "SESSION#{session}#{tp}", "SITE#{site}#USER#{user}", "{instant}#{tie}"},
		"new sessions":     {"SITE#{site}#VISITORS", "NEW#{minute}#{tp}#{k}"},
		"visitor sessions": {"SITE#{site}#VISITORS", "{bucket}#{hour}#{tp}#{k}#{i}"},
		"recent sessions":  {"SITE#{site}#RECENT", "{minute}#{tp}#{k}#{i}"},
		"hour stats":       {"SITE#{site}", "STATS#hour#{hour}"},
		"day stats":        {"SITE#{site}", "STATS#day#{day}"},
		"uniques":          {"SITE#{site}#UNIQUES#{day}", "hour#{hour}#{tp}"},
		"realtime minute":  {"SITE#{site}", "REALTIME#{minute}#{tp}"},
	}
	seen := make(map[string]bool)
	for _, item := range Catalogue() {
		if seen[item.Name] {
			t.Errorf("%s is in the catalogue twice", item.Name)
		}
		seen[item.Name] = true
		var got []string
		for _, index := range []Index{Base, GSI1} {
			if pk, sk, ok := item.IndexTemplates(index); ok {
				got = append(got, string(pk), string(sk))
			}
		}
		if expected, ok := want[item.Name]; ok && strings.Join(got, " ") != strings.Join(expected, " ") {
			t.Errorf("%s: %q, want %q", item.Name, got, expected)
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("%s is not in the catalogue", name)
		}
	}
}

// Whoever adds an entity type adds its entry.
func TestEveryEntityIsInTheCatalogue(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "attrs.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Entity") {
			return true
		}
		found++
		entity, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if item, ok := EntityType(entity); err != nil || !ok || item.Entity != entity {
			t.Errorf("%s is in no entry of the catalogue", spec.Names[0].Name)
		}
		return true
	})
	if found == 0 {
		t.Error("attrs.go has no entity types any more: look for them where they are")
	}
}

// fieldsOf makes fields of any sort: ids that need escapes and ids that keys cut among them.
func fieldsOf(rng *rand.Rand) Fields {
	id := func() string {
		switch rng.IntN(5) {
		case 0:
			return fmt.Sprintf("%016x%016x", rng.Uint64(), rng.Uint64())
		case 1:
			return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", rng.Uint32(), rng.IntN(1<<16), rng.IntN(1<<16), rng.IntN(1<<16), rng.Int64N(1<<48))
		}
		letters := []rune("ab#%~{}G2 é\x00日\x7f")
		var b strings.Builder
		for range 1 + rng.IntN([]int{4, 30, 200}[rng.IntN(3)]) {
			b.WriteRune(letters[rng.IntN(len(letters))])
		}
		return b.String()
	}
	const hour = 3_600_000
	return Fields{Hash: fmt.Sprintf("%016x%016x", rng.Uint64(), rng.Uint64()), Site: id(),
		Session: id(), User: id(), Visitor: id(), Owner: id(), Topic: id(), ULID: samples[rng.IntN(2)].ULID,
		Lane: samples[rng.IntN(2)].Lane, TP: TP{rng.Int64N(1000), rng.Int32N(1000)}, At: rng.Int64N(2_000_000) * hour, Step: rng.Int64N(1e12),
		Index: rng.IntN(5), Shard: rng.IntN(MaxShards), Shards: DefaultShards}
}

// What any writer spells is found to be of its type, and reads back as the same key, in every generation.
func TestKeysAreFoundAsWhatTheyAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range slow.Of(t, 60, 500) {
		f, keys := fieldsOf(rng), Keys{Generation: rng.IntN(4)}
		for _, item := range Catalogue() {
			key := item.Key(keys, f)
			it := Item{AttrSiteID: Str(f.Site), AttrSessionID: Str(f.Session), AttrVisitorID: Str(f.Visitor), AttrTopicName: Str(f.Topic)}
			m, ok := Find(key, it, DefaultShards)
			if !ok || m.Type.Name != item.Name {
				t.Fatalf("%q of the type %s was found to be %+v, %v", key, item.Name, m.Type, ok)
			}
			if spelled, whole := m.Spelled(); !whole || spelled != key {
				t.Fatalf("%q of the type %s reads back as %q, all ids known: %v", key, item.Name, spelled, whole)
			}
			for _, p := range m.Facts() {
				if want := map[string]string{"site": f.Site, "session": f.Session, "visitor": f.Visitor, "topic": f.Topic}[p.Name]; want != "" &&
					p.Value != want {
					t.Fatalf("%q of the type %s says %s %q, want %q", key, item.Name, p.Name, p.Value, want)
				}
			}
		}
	}
}

func TestCutIdIsKnownByItsBeginning(t *testing.T) {
	long := strings.Repeat("ab#", 128)
	key := Keys{}.Uniques(long, samples[0].At, TP{1, 2})
	m, ok := Find(key, Item{AttrSiteID: Str("another")}, DefaultShards)
	if !ok {
		t.Fatalf("%q is not found", key)
	}
	if _, whole := m.Spelled(); whole || len(m.Cut) != 1 {
		t.Fatalf("cut %v, whole %v; want the site to be cut", m.Cut, whole)
	}
	if p := m.Facts()[0]; p.Name != "site" || !p.Cut || !strings.HasPrefix(long, p.Value) || len(p.Value) < 100 {
		t.Errorf("the key says %+v, want the beginning of the site", p)
	}
}

func TestForeignKeysAreFoundOutAsSuch(t *testing.T) {
	for _, key := range []Key{
		{}, {"PIPELINE", "OTHER"}, {"SITE#shop", "STATS#week#2026-05-12"}, {"SITE#shop", "STATS#hour#2026-05-12T25"},
		{"SITE#shop", "STATS#day#2026-5-12"}, {"SITE#a%2", "METADATA"}, {"SITE#a%zz", "METADATA"},
		{"G#SITE#shop", "METADATA"}, {"G1#SITE#shop", "METADATA"}, {"G-2#SITE#shop", "METADATA"},
		{"CHAIN#x", "P#1#stats"}, {"SITE#shop#RECENT", "2026-05-12T14:03#1_2#3"}, {"SITE#shop#SHARD#01", "EVENT#short"}, {"{site}", "{sk}"},
	} {
		if m, ok := Find(key, nil, DefaultShards); ok {
			t.Errorf("%q was found to be of the type %s", key, m.Type.Name)
		}
	}
	for name, key := range map[string]Key{
		"an hour with its minutes":   {"SITE#shop", "STATS#hour#2026-05-12T14:00"},
		"an escape nobody needs":     {"SITE#sh%6Fp", "METADATA"},
		"a step without its zeros":   {"CHAIN#1", "P#2#stats#42"},
		"a session in a wrong shard": {Keys{}.Shard("shop", (ShardOf("s", DefaultShards)+1)%DefaultShards), "SESSION#s#1_2"},
		"a site in a wrong list":     {"SITES#00", "shop"},
	} {
		m, ok := Find(key, nil, DefaultShards)
		if !ok {
			t.Errorf("%s, %q: not found", name, key)
		} else if spelled, whole := m.Spelled(); !whole || spelled == key {
			t.Errorf("%s, %q: spelled %q, want it spelled otherwise", name, key, spelled)
		}
	}
}

func TestTemplatesSpellTheBeginningsOfKeys(t *testing.T) {
	for _, c := range []struct {
		template Template
		text     string
		want     Template
		ok       bool
	}{
		{"STATS#hour#{hour}", "STATS#hour#", "STATS#hour#", true},
		{"STATS#hour#{hour}", "STATS#hour#2026-05-12T14", "STATS#hour#{hour}", true},
		{"STATS#hour#{hour}", "STATS#hour#2026-05-12T14~", "STATS#hour#{hour}~", true},
		{"STATS#hour#{hour}", "STATS#day#", "", false},
		{"STATS#hour#{hour}", "STATS#hour#2026-05-12#1", "", false},
		{"SESSION#{session}#{tp}", "SESSION#s%23#", "SESSION#{session}#", true},
		{"{instant}#{tie}", "01KRE3M8R0", "{instant}", true},
		{"{instant}#{tie}", "yesterday", "", false},
	} {
		if got, ok := c.template.Begins(c.text); got != c.want || ok != c.ok {
			t.Errorf("%q begins with %q: %q, %v, want %q, %v", c.template, c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestAttributesOfPartitionsAreTold(t *testing.T) {
	stats, _ := EntityType(EntityStats)
	for name, want := range map[string]TP{"h1_17": {1, 17}, "ws3_0": {3, 0}} {
		if _, tp, ok := stats.Attribute(name); !ok || tp != want {
			t.Errorf("%q: %v, %v, want %v", name, tp, ok, want)
		}
	}
	for _, name := range []string{"h", "h1", "h1_x", "h01_17", "wr1_17", "h1_17x", "hour"} {
		if a, tp, ok := stats.Attribute(name); ok {
			t.Errorf("%q was taken for %s of %v", name, a.Name, tp)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, item := range Catalogue() {
		key := item.Key(Keys{}, samples[0])
		f.Add(key.PK, key.SK)
	}
	f.Fuzz(func(t *testing.T, pk, sk string) {
		m, ok := Find(Key{pk, sk}, nil, DefaultShards)
		if !ok {
			return
		}
		again, ok := Find(m.Type.Key(m.Keys, m.Fields), nil, DefaultShards)
		if _, whole := m.Spelled(); whole && (!ok || again.Type != m.Type) {
			t.Errorf("%q / %q is of the type %s, and what that spells is not", pk, sk, m.Type.Name)
		}
	})
}
