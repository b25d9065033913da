//go:build unix

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testenv"
)

// Records in Avro, Protobuf and JSON Schema, and plain JSON between them, count by a mapping. Partitions wait while the registry is away.
// What it has no schema for is rejected, and counts once it has and the records are replayed. Consumers are killed before and after. When
// the registry is gone for good, a recount and a rebuild find the same numbers, which are what was published.
func TestRecordsWithSchemas(t *testing.T) {
	onReal(t, func(t *testing.T, s *stage) {
		registry := newSchemaServer(t, avroID, protobufID, jsonID)
		p := publishWithSchemas(t, s, registry)

		p.publish(avroID, protobufID, jsonID, avroLater, 0)
		first := s.consume(t, "consumer that waits for the registry", "--http", "127.0.0.1:0")
		waitsForRegistry(t, s, first)
		first.kill()
		second := s.consume(t, "consumer to be killed")
		registry.comeBack()
		s.verify(t)
		p.publish(avroID, protobufID, jsonID, avroLater, 0)
		second.kill()

		asked := registry.timesAsked(avroID, protobufID, jsonID)
		third := s.consume(t, "consumer after the kills")
		s.verify(t)
		p.counts("before the replay", avroID, protobufID, jsonID, 0)
		registry.add(avroLater)
		var replayed struct {
			Published int64
			ByReason  map[string]int64
			Predicted struct{ Counted int64 }
		}
		s.answer(t, &replayed, "failed", "replay", "--reason", "unknown_schema")
		want := p.published[avroLater]
		if replayed.Published != want || replayed.ByReason["unknown_schema"] != want || replayed.Predicted.Counted != want {
			t.Errorf("failed replay says %+v, want %d records", replayed, want)
		}
		p.publish(avroLater, 0)
		s.verify(t)
		p.counts("after the replay", avroID, protobufID, jsonID, avroLater, 0)
		if again := registry.timesAsked(avroID, protobufID, jsonID) - asked; again > 3 { // The new process may have them confirmed.
			t.Errorf("the registry was asked %d times more for three schemas that the table keeps", again)
		}

		registry.Close()
		third.drain()
		last := s.consume(t, "consumer without a registry")
		p.publish(avroID, protobufID, jsonID, avroLater, 0)
		s.verify(t)
		p.counts("without a registry", avroID, protobufID, jsonID, avroLater, 0)
		var rebuilt rebuildAnswer
		s.answer(t, &rebuilt, "rebuild")
		if c := rebuilt.Comparison; len(c.Differ) > 0 || c.Figures == 0 || c.Moving > 0 {
			t.Errorf("a rebuild without a registry: %+v", rebuilt)
		}
		last.drain()
	})
}

// waitsForRegistry waits until a consumer says that it waits for the registry.
func waitsForRegistry(t *testing.T, s *stage, consumer *process) {
	t.Helper()
	o := &outage{stage: s, t: t, service: "schema registry", member: consumer, addr: serving(consumer)}
	eventually(t, consumer.name+" says that it waits", func() bool {
		status, text := o.ready()
		return status == http.StatusServiceUnavailable && strings.Contains(text, "no answer from the schema registry") &&
			strings.Contains(text, "503") && o.metrics()["footfall_outage_seconds{"+o.service+"}"] > 0
	})
}

// schemaProducer publishes records with schemas, and computes what they are to count.
type schemaProducer struct {
	t         *testing.T
	stage     *stage
	client    *kgo.Client
	sent      int
	published map[int]int64 // by the id of the schema
	want      map[int]map[string]*shopFigures
}

// shopFigures are what the records of a site with one schema count.
type shopFigures struct {
	events, views int64
	visitors      map[string]bool
}

func publishWithSchemas(t *testing.T, s *stage, registry *schemaServer) *schemaProducer {
	t.Helper()
	s.topic = testenv.Topic(t, s.brokers, 3, nil)
	for name, value := range map[string]string{"KAFKA_TOPIC": s.topic,
		"KAFKA_GROUP_PROTOCOL": "consumer", // The next owner need not wait for long.
		"EVENT_REGISTRY_URLS":  registry.URL, "EVENT_REGISTRY_USER": schemaUser, "EVENT_REGISTRY_PASSWORD": schemaPassword,
		"EVENT_MAP": "siteId=kafka:header:shop,visitorId=who.id,id=key,type=kind,url=page,timestamp=at"} {
		s.set("FOOTFALL_"+name, value)
	}
	s.countBots()
	s.execute(t, "table", "create")
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers), kgo.DefaultProduceTopic(s.topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return &schemaProducer{t: t, stage: s, client: cl, published: make(map[int]int64), want: make(map[int]map[string]*shopFigures)}
}

// publish publishes some records with each schema, in turn.
func (p *schemaProducer) publish(ids ...int) {
	p.t.Helper()
	var records []*kgo.Record
	for n := range 100 * len(ids) {
		id, shop := ids[n%len(ids)], fmt.Sprint("shop-", p.sent%4)
		e := schemaEvent{key: fmt.Sprint("e", p.sent), kind: []string{"page_view", "click"}[p.sent%3/2], at: time.Now(),
			page: fmt.Sprint("/p", p.sent%7), visitor: fmt.Sprintf("v%d-%d", id, p.sent%11)}
		records = append(records, &kgo.Record{Key: []byte(e.visitor), Headers: []kgo.RecordHeader{{Key: "shop", Value: []byte(shop)}},
			Value: e.encoded(id)})
		p.note(id, shop, e)
	}
	if err := p.client.ProduceSync(p.t.Context(), records...).FirstErr(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *schemaProducer) note(id int, shop string, e schemaEvent) {
	p.sent++
	p.published[id]++
	if p.want[id] == nil {
		p.want[id] = make(map[string]*shopFigures)
	}
	f := p.want[id][shop]
	if f == nil {
		f = &shopFigures{visitors: make(map[string]bool)}
		p.want[id][shop] = f
	}
	f.events++
	f.visitors[e.visitor] = true
	if e.kind == "page_view" {
		f.views++
	}
}

// counts fails the test unless the records with these schemas count, and no others.
func (p *schemaProducer) counts(when string, ids ...int) {
	p.t.Helper()
	want := make(map[string]figures)
	for _, id := range ids {
		for shop, f := range p.want[id] {
			sum := want[shop] // No visitor has records with two schemas.
			want[shop] = figures{Events: sum.Events + f.events, PageViews: sum.PageViews + f.views,
				UniqueVisitors: sum.UniqueVisitors + uint64(len(f.visitors))}
		}
	}
	sites := p.stage.sites(p.t)
	if len(sites) != len(want) {
		p.t.Errorf("%s: the sites are %v, want %d", when, sites, len(want))
	}
	for _, shop := range sites {
		got := p.stage.stats(p.t, shop, "-2d", "now", "hour").Totals
		got.Sessions = 0
		if got != want[shop] {
			p.t.Errorf("%s: %s has %+v, want %+v", when, shop, got, want[shop])
		}
	}
}
