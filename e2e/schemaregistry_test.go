//go:build unix

package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The schemas of a schemaServer. avroLater has the fields of avroID in another order.
const (
	avroID     = 1
	protobufID = 2
	jsonID     = 3
	avroLater  = 4
)

// registered is a schema as Confluent's Schema Registry spells it in answers.
type registered struct {
	Subject    string      `json:"subject,omitempty"`
	Version    int         `json:"version,omitempty"`
	Schema     string      `json:"schema"`
	SchemaType string      `json:"schemaType,omitempty"`
	References []reference `json:"references,omitempty"`
}

type reference struct {
	Name    string `json:"name"`
	Subject string `json:"subject"`
	Version int    `json:"version"`
}

var (
	who = registered{Subject: "who", Version: 3, Schema: `{"type":"record","name":"Who","namespace":"shop","fields":[
		{"name":"id","type":"string"}]}`}
	byWho      = []reference{{"shop.Who", who.Subject, who.Version}}
	allSchemas = map[int]registered{
		avroID: {Schema: `{"type":"record","name":"Event","namespace":"shop","fields":[{"name":"key","type":"string"},
			{"name":"kind","type":{"type":"enum","name":"Kind","symbols":["click","page_view"]}},{"name":"page","type":["null","string"]},
			{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"who","type":"shop.Who"}]}`, References: byWho},
		protobufID: {SchemaType: "PROTOBUF", Schema: `syntax = "proto3"; package shop;
			message Who { string id = 1; }
			message Event { string key = 1; string kind = 2; string page = 3; int64 at = 4; Who who = 5; }`},
		jsonID: {SchemaType: "JSON", Schema: `{"type":"object","required":["key","kind","page","at","who"]}`},
		avroLater: {Schema: `{"type":"record","name":"Event","namespace":"shop","fields":[{"name":"who","type":"shop.Who"},
			{"name":"page","type":"string"},{"name":"kind","type":"string"},{"name":"key","type":"string"},
			{"name":"at","type":"long"}]}`, References: byWho},
	}
)

// The user of a schemaServer.
const (
	schemaUser     = "footfall"
	schemaPassword = "p:ss wörd"
)

// schemaServer answers as Confluent's Schema Registry does. At first it is away: a proxy before it answers 503.
type schemaServer struct {
	*httptest.Server
	mu    sync.Mutex // covers what follows
	away  bool
	has   map[int]registered
	asked map[int]int // how often an id was asked for and it answered
}

func newSchemaServer(t *testing.T, ids ...int) *schemaServer {
	s := &schemaServer{away: true, has: make(map[int]registered), asked: make(map[int]int)}
	s.add(ids...)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /schemas/ids/{id}", s.byID)
	mux.HandleFunc("GET /subjects/"+who.Subject+"/versions/"+fmt.Sprint(who.Version), func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, who)
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		user, password, _ := r.BasicAuth()
		switch {
		case s.away:
			http.Error(w, "no server is available", http.StatusServiceUnavailable)
		case user != schemaUser || password != schemaPassword:
			reply(w, http.StatusUnauthorized, map[string]any{"error_code": 401, "message": "Unauthorized"})
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *schemaServer) byID(w http.ResponseWriter, r *http.Request) {
	var id int
	fmt.Sscan(r.PathValue("id"), &id)
	s.asked[id]++
	if schema, ok := s.has[id]; ok {
		reply(w, http.StatusOK, schema)
		return
	}
	reply(w, http.StatusNotFound, map[string]any{"error_code": 40403, "message": fmt.Sprintf("Schema %d not found", id)})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// add registers schemas.
func (s *schemaServer) add(ids ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.has[id] = allSchemas[id]
	}
}

// comeBack has it answer from now on.
func (s *schemaServer) comeBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = false
}

// timesAsked is how often it was asked for schemas, and answered.
func (s *schemaServer) timesAsked(ids ...int) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		n += s.asked[id]
	}
	return n
}

// schemaEvent is an event before it is encoded.
type schemaEvent struct {
	key, kind, page, visitor string
	at                       time.Time
}

// encoded is the event as a serializer with this schema makes it; 0: plain JSON, in the same shape.
func (e schemaEvent) encoded(id int) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0}, uint32(id))
	text := func(text string) { b = append(binary.AppendVarint(b, int64(len(text))), text...) } // Avro's varints are Go's.
	switch id {
	case avroID:
		text(e.key)
		b = binary.AppendVarint(b, map[string]int64{"click": 0, "page_view": 1}[e.kind])
		b = binary.AppendVarint(b, 1) // The branch of the union.
		text(e.page)
		b = binary.AppendVarint(b, e.at.UnixMilli())
		text(e.visitor)
	case avroLater:
		text(e.visitor)
		text(e.page)
		text(e.kind)
		text(e.key)
		b = binary.AppendVarint(b, e.at.UnixMilli())
	case protobufID:
		b = append(b, 2, 2) // One index, which is 1: the second message.
		field := func(n protowire.Number, text string) {
			b = protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), text)
		}
		field(1, e.key)
		field(2, e.kind)
		field(3, e.page)
		b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), uint64(e.at.UnixMilli()))
		field(5, string(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), e.visitor)))
	case jsonID:
		return append(b, e.encoded(0)...)
	default:
		return fmt.Appendf(nil, `{"key":%q,"kind":%q,"page":%q,"at":%d,"who":{"id":%q}}`, e.key, e.kind, e.page, e.at.UnixMilli(), e.visitor)
	}
	return b
}
