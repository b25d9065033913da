package examples

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

var update = flag.Bool("update", false, "rewrite decode/vectors.json")

// decoders are the programs that decode what items hold without Go, and the interpreters that run them.
var decoders = map[string][]string{"Python": {"python3", "decode/decode.py"}, "JavaScript": {"node", "decode/decode.js"}}

// plainVisitors is what the decoders print of visitors.
type plainVisitors struct {
	UniqueVisitors      uint64  `json:"uniqueVisitors"`
	UniqueVisitorsError float64 `json:"uniqueVisitorsError"`
}

func visitorsOf(u *sketch.Uniques) plainVisitors {
	return plainVisitors{u.Estimate(), u.StandardError()}
}

type plainTopRow struct {
	Value         string `json:"value"`
	Events        uint64 `json:"events"`
	MaxUndercount uint64 `json:"maxUndercount"`
}

type plainTop struct {
	Rows  []plainTopRow `json:"rows"`
	Other uint64        `json:"other"`
	Floor uint64        `json:"floor"`
}

func topOf(top *sketch.Top) plainTop {
	p := plainTop{Rows: []plainTopRow{}, Other: top.Other(), Floor: top.Floor()}
	for _, row := range top.Rows() {
		p.Rows = append(p.Rows, plainTopRow{row.Value, row.Count, row.Error})
	}
	return p
}

type plainValues struct {
	N         int64  `json:"n"`
	SumMicros string `json:"sumMicros"`
	MinMicros string `json:"minMicros"`
	MaxMicros string `json:"maxMicros"`
}

type plainCounts struct {
	Events     int64        `json:"events"`
	PageViews  int64        `json:"pageViews"`
	Sessions   int64        `json:"sessions"`
	Bounces    int64        `json:"bounces"`
	DurationMs int64        `json:"durationMs"`
	Entries    int64        `json:"entries"`
	Exits      int64        `json:"exits"`
	Values     *plainValues `json:"values,omitempty"`
	plainVisitors
}

type plainRow struct {
	Value         string `json:"value"`
	MaxUndercount uint64 `json:"maxUndercount"`
	plainCounts
}

type plainDimension struct {
	Rows  []plainRow  `json:"rows"`
	Other plainCounts `json:"other"`
	Floor uint64      `json:"floor"`
}

func countsOf(c sketch.Counts) plainCounts {
	p := plainCounts{c.Events, c.PageViews, c.Sessions, c.Bounces, c.DurationMs, c.Entries, c.Exits, nil, visitorsOf(c.Visitors)}
	if c.Values > 0 {
		p.Values = &plainValues{c.Values, c.Sum.String(), fmt.Sprint(c.Min), fmt.Sprint(c.Max)}
	}
	return p
}

// breakdownOf is what the decoders print of a breakdown.
func breakdownOf(t *testing.T, b *sketch.Breakdown) map[string]plainDimension {
	t.Helper()
	all := make(map[string]plainDimension)
	for _, d := range sketch.Dimensions() {
		merged := sketch.NewBreakdownMerge(d)
		merged.Add(b)
		p := plainDimension{Rows: []plainRow{}, Other: countsOf(b.Other(d)), Floor: merged.Floor()}
		for _, row := range b.Rows(d) {
			p.Rows = append(p.Rows, plainRow{row.Value, row.Error, countsOf(row.Counts)})
		}
		if len(p.Rows) > 0 || p.Other.Events > 0 {
			all[d.String()] = p
		}
	}
	return all
}

// encoded is an encoded attribute, and what the decoders are to print of it.
type encoded struct {
	name, entity, attr string
	data               []byte
	want               any
}

// uniquesOf are visitors as an item holds them.
func uniquesOf(t *testing.T, name, entity, attr string, u *sketch.Uniques) encoded {
	t.Helper()
	data, err := u.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return encoded{name, entity, attr, data, visitorsOf(u)}
}

// filled adds n hashes to a sketch.
func filled(u *sketch.Uniques, rng *rand.Rand, n int) *sketch.Uniques {
	for range n {
		u.Add(rng.Uint64())
	}
	return u
}

// drawnBreakdown counts events of a few or of many values.
func drawnBreakdown(rng *rand.Rand, rows, events, values int) *sketch.Breakdown {
	b := sketch.NewBreakdown(rows)
	for i := range events {
		n := int(float64(values) * rng.Float64() * rng.Float64())
		hit := sketch.Hit{Visitor: rng.Uint64N(uint64(1+events/2)) * 0x9E3779B97F4A7C15, PageView: rng.IntN(3) > 0}
		page := fmt.Sprintf("/künste/%04d/%s", n, strings.Repeat("x", n%40))
		b.Event(sketch.Page, page, int64(i), hit)
		if i%3 == 0 {
			b.Book(sketch.Page, page, int64(i), sketch.Booking{Sessions: 1, Bounces: int64(i & 1), DurationMs: int64(i) * 100_000,
				Entries: 1, Exits: 1})
		}
		b.Event(sketch.Country, []string{"DE", "FR", "IN"}[n%3], int64(i), hit)
		if hit.HasValue = i%2 == 0; hit.HasValue {
			hit.Value = rng.Int64() - 1<<62
		}
		b.Event(sketch.EventName, []string{"buy", "search"}[n%2], int64(i), hit)
	}
	return b
}

// drawn are attributes with everything that the formats know: each form of visitors, rows that were evicted, values of either sign.
// Breakdowns have at most rows rows a dimension.
func drawn(t *testing.T, seed uint64, rows int) (all []encoded) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 14))
	for _, n := range []int{0, 1, 64, 1024, 1025, 2000, 20_000, 300_000} {
		all = append(all, uniquesOf(t, fmt.Sprint(n, " visitors of an hour"), sinks.EntityUniques, sinks.AttrPart,
			filled(sketch.NewHour(), rng, n)))
	}
	all = append(all, uniquesOf(t, "some visitors within an hour's stats", sinks.EntityStats,
		sinks.AttrUniques(sinks.TP{Topic: 3, Partition: 12}), filled(sketch.NewHour(), rng, 5)))
	even := sketch.NewHour()
	for i := range uint64(1 << sketch.HourPrecision) {
		even.Add(i<<(64-sketch.HourPrecision) | 1<<(63-sketch.HourPrecision))
	}
	all = append(all, uniquesOf(t, "equal registers, which do not compress", sinks.EntitySealedUniques, sinks.AttrPart, even))
	for _, n := range []int{0, 128, 129, 5000} {
		all = append(all, uniquesOf(t, fmt.Sprint(n, " visitors of a minute"), sinks.EntityRealtime, sinks.AttrVisitors,
			filled(sketch.NewMinute(), rng, n)))
	}
	for _, n := range []int{0, 3, 4000} {
		top := sketch.NewTop(50)
		for range n {
			top.AddString(fmt.Sprintf("/%d", int(200*rng.Float64()*rng.Float64())))
		}
		data, err := top.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, encoded{fmt.Sprint("pages of ", n, " views"), sinks.EntityRealtime, sinks.AttrPages, data, topOf(top)})
	}
	for _, c := range []struct{ rows, events, values int }{{16, 0, 1}, {16, 40, 5}, {rows, 8 * rows, rows}, {rows, 40 * rows, 8 * rows}} {
		b := drawnBreakdown(rng, c.rows, c.events, c.values)
		data, err := sketch.PackBreakdown(b)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("breakdown of %d events", c.events)
		all = append(all, encoded{name, sinks.EntityBreakdown, sinks.AttrPart, data, breakdownOf(t, b)})
	}
	return all
}

// A vector is one of decode/vectors.json: an item as DynamoDB answers it, and the line that a decoder prints of it.
type vector struct {
	Item map[string]map[string]string `json:"item"`
	Want json.RawMessage              `json:"want"`
}

func vectorOf(t *testing.T, e encoded) vector {
	t.Helper()
	want, err := json.Marshal(map[string]any{"pk": "SITE#shop", "sk": e.name, e.attr: e.want})
	if err != nil {
		t.Fatal(err)
	}
	return vector{map[string]map[string]string{"pk": {"S": "SITE#shop"}, "sk": {"S": e.name}, sinks.AttrEntity: {"S": e.entity},
		e.attr: {"B": base64.StdEncoding.EncodeToString(e.data)}}, want}
}

// decode runs a decoder on items, compares the lines that it prints with those wanted, and returns them.
func decode(t *testing.T, command []string, vectors []vector) (lines [][]byte) {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		if os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var answer struct {
		Items []map[string]map[string]string
	}
	for _, v := range vectors {
		answer.Items = append(answer.Items, v.Item)
	}
	in, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), command[0], command[1:]...)
	run.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	run.Stderr = &errs
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	lines = bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(vectors) {
		t.Fatalf("%d lines of %d items", len(lines), len(vectors))
	}
	for i, line := range lines {
		if got, want := parsed(t, line), parsed(t, vectors[i].Want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %.2000s\nwant %.2000s", vectors[i].Item["sk"]["S"], line, vectors[i].Want)
		}
	}
	return lines
}

func parsed(t *testing.T, line []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return v
}

// TestDecodersReadTheVectors: decode/vectors.json is for decoders in other languages, too.
func TestDecodersReadTheVectors(t *testing.T) {
	const file = "decode/vectors.json"
	var vectors []vector
	for _, e := range drawn(t, 1, 24) {
		vectors = append(vectors, vectorOf(t, e))
	}
	current, err := json.MarshalIndent(vectors, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	current = append(current, '\n')
	if *update {
		if err := os.WriteFile(file, current, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, current) {
		t.Errorf("%s is not current: go test ./examples -run Vectors -update", file)
	}
	for name, command := range decoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decode(t, command, vectors)
		})
	}
}

// TestDecodersReadWhatIsDrawn: as the vectors, with other contents.
func TestDecodersReadWhatIsDrawn(t *testing.T) {
	var vectors []vector
	for seed := range uint64(5) {
		for _, e := range drawn(t, 100+seed, 300) {
			vectors = append(vectors, vectorOf(t, e))
		}
	}
	for name, command := range decoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decode(t, command, vectors)
		})
	}
}

// TestDecodersReadATable: the decoders read every encoded attribute of a table that a pipeline has written, and their rows of the hours
// are those that a query answers.
func TestDecodersReadATable(t *testing.T) {
	var vectors []vector
	var pages []query.TopRow
	testworld.InBubble(t, 1, func(t *testing.T, w *testworld.World) {
		table := &noting{Table: w.Table, keys: make(map[sinks.Key]bool)}
		settings := checkpoint.DefaultSettings()
		drain := testworld.Start(t, func(ctx context.Context) error {
			p, err := pipeline.New(pipeline.Options{Kafka: w.Kafka, Topic: "events", Group: "footfall", Table: table, Settings: settings,
				StatsInterval: 10 * time.Second})
			if err != nil {
				return err
			}
			return p.Run(ctx)
		})
		end, rng := time.Now(), rand.New(rand.NewPCG(7, 7))
		begin := end.Add(-8 * time.Hour)
		publishVisits(t, w.Client, rng, "shop", begin, 3000)
		publishVisits(t, w.Client, rng, "small", begin, 30)
		publishVisits(t, w.Client, rng, "now", end.Add(-8*time.Hour+time.Minute), 2000) // for realtime
		<-time.After(5 * time.Minute)
		drain()
		later := func() time.Time { return end.Add(4 * 24 * time.Hour) } // Days are sealed.
		if err := seal.New(seal.Options{Table: table, Now: later}).Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, it := range table.items(t) {
			if v, ok := stored(t, it); ok {
				vectors = append(vectors, v)
			}
		}
		top, err := query.New(table, sinks.Keys{}, time.Now).Top(t.Context(),
			query.TopParams{Site: "shop", Dimension: "page", From: begin, To: end})
		if err != nil {
			t.Fatal(err)
		}
		pages = top.Rows
	}, kfake.SeedTopics(2, "events"))
	kinds := make(map[string]bool)
	for _, v := range vectors {
		kinds[v.Item[sinks.AttrEntity]["S"]] = true
	}
	for _, entity := range []string{sinks.EntityStats, sinks.EntityUniques, sinks.EntityBreakdown, sinks.EntityRealtime,
		sinks.EntitySealedUniques, sinks.EntitySealedBreakdown} {
		if !kinds[entity] {
			t.Errorf("the table has no encoded attribute of kind %s: nothing is shown of it", entity)
		}
	}
	for name, command := range decoders {
		t.Run(name, func(t *testing.T) {
			events := make(map[string]int64)
			for _, line := range decode(t, command, vectors) {
				var item struct {
					PK, SK string
					Part   map[string]plainDimension
				}
				if json.Unmarshal(line, &item) != nil || !strings.HasPrefix(item.PK, sinks.Keys{}.BreakdownList("shop")) {
					continue
				}
				if strings.HasPrefix(item.SK, sinks.BreakdownPrefix) {
					for _, row := range item.Part["page"].Rows {
						events[row.Value] += row.Events
					}
				}
			}
			for _, row := range pages {
				if events[row.Value] != row.Events {
					t.Errorf("page %s: %d events are decoded, the query answers %d", row.Value, events[row.Value], row.Events)
				}
			}
			if len(pages) == 0 || len(events) != len(pages) {
				t.Errorf("%d pages are decoded, the query answers %d", len(events), len(pages))
			}
		})
	}
}

// noting notes the keys of what is written to a table.
type noting struct {
	sinks.Table
	mu   sync.Mutex // covers keys
	keys map[sinks.Key]bool
}

func (n *noting) note(key sinks.Key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.keys[key] = true
}

func (n *noting) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	n.note(u.Key)
	return n.Table.Update(ctx, u)
}

func (n *noting) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	n.note(p.Item.Key())
	return n.Table.Put(ctx, p)
}

// items are those that were written and are still there, but for those that were put in batches, which have nothing encoded.
func (n *noting) items(t *testing.T) (items []sinks.Item) {
	t.Helper()
	for key := range n.keys {
		if it := testworld.Item(t, n.Table, key); it != nil {
			items = append(items, it)
		}
	}
	return items
}

// publishVisits publishes views and purchases of visitors, some of whom return, spread over eight hours.
func publishVisits(t *testing.T, client *kgo.Client, rng *rand.Rand, site string, begin time.Time, events int) {
	t.Helper()
	var records []*kgo.Record
	for i := range events {
		e := map[string]any{"siteId": site, "type": "page_view", "url": fmt.Sprintf("https://%s.example/%d", site, rng.IntN(60)),
			"timestamp": begin.Add(8 * time.Hour * time.Duration(i) / time.Duration(events)).UnixMilli()}
		visitor := fmt.Sprint("v", rng.IntN(1+events))
		e["visitorId"] = visitor
		if i%10 == 0 {
			e["type"], e["value"] = "purchase", float64(-i)-0.25
		}
		value, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, &kgo.Record{Topic: "events", Partition: int32(i % 2), Key: []byte(visitor), Value: value})
	}
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// stored is the vector of an item with encoded attributes, if it has any, as package sketch reads them.
func stored(t *testing.T, it sinks.Item) (v vector, ok bool) {
	t.Helper()
	entity, key := it[sinks.AttrEntity].Str(), it.Key()
	v.Item = map[string]map[string]string{"pk": {"S": key.PK}, "sk": {"S": key.SK}, sinks.AttrEntity: {"S": entity}}
	want := map[string]any{"pk": key.PK, "sk": key.SK}
	for name, value := range it {
		if value.Kind() != sinks.Binary {
			continue
		}
		tp, own := sinks.PartitionOf(entity, name)
		switch {
		case name == sinks.AttrPart && (entity == sinks.EntityBreakdown || entity == sinks.EntitySealedBreakdown):
			b := new(sketch.Breakdown)
			if err := sketch.UnpackBreakdown(value.Bytes(), b); err != nil {
				t.Fatal(err)
			}
			want[name] = breakdownOf(t, b)
		case name == sinks.AttrPages && entity == sinks.EntityRealtime:
			top := new(sketch.Top)
			if err := top.UnmarshalBinary(value.Bytes()); err != nil {
				t.Fatal(err)
			}
			want[name] = topOf(top)
		case name == sinks.AttrPart && (entity == sinks.EntityUniques || entity == sinks.EntitySealedUniques),
			name == sinks.AttrVisitors && entity == sinks.EntityRealtime, own && name == sinks.AttrUniques(tp):
			u := new(sketch.Uniques)
			if err := u.UnmarshalBinary(value.Bytes()); err != nil {
				t.Fatal(err)
			}
			want[name] = visitorsOf(u)
		default:
			continue
		}
		v.Item[name] = map[string]string{"B": base64.StdEncoding.EncodeToString(value.Bytes())}
	}
	line, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	v.Want = line
	return v, len(want) > 2
}

// TestDecodersRefuseDamage: bytes of which one was changed are refused, not read as something else.
func TestDecodersRefuseDamage(t *testing.T) {
	for name, command := range decoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skip(err)
			}
			e := uniquesOf(t, "damaged", sinks.EntityUniques, sinks.AttrPart, filled(sketch.NewHour(), rand.New(rand.NewPCG(1, 2)), 20))
			e.data = slices.Clone(e.data)
			e.data[len(e.data)/2] ^= 4
			in, err := json.Marshal(vectorOf(t, e).Item)
			if err != nil {
				t.Fatal(err)
			}
			run := exec.CommandContext(t.Context(), command[0], command[1:]...)
			run.Stdin = bytes.NewReader(in)
			if out, err := run.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("the CRC is not that of the bytes")) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
