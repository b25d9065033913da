package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/schemas"
)

// Trial is what a pipeline with a configuration would make of records.
type Trial struct {
	settings checkpoint.Settings
	decode   checkpoint.Decode
	to       *mapping.Mapping // nil: records are events
	schemas  schemas.Preview
}

// Tried is what it makes of one.
type Tried struct {
	Record int             `json:"record"`          // from 1
	Value  json.RawMessage `json:"value,omitempty"` // what a schema makes of its value
	Event  json.RawMessage `json:"event"`           // null: the mapping makes none
	Reason event.Reason    `json:"reason"`          // "": it is counted, if its site is
	Detail string          `json:"detail"`
	Notes  []string        `json:"notes"` // of docs/events.md
}

// NewTrial begins a trial. The configuration is valid.
func NewTrial(c config.Config) (*Trial, error) {
	t := &Trial{settings: SettingsNow(c, time.Now())}
	var err error
	if t.schemas.Registry, err = command.Registry(c); err != nil {
		return nil, err
	}
	if t.to, err = mapping.Parse(t.settings.Maps.At(0), t.schemas.Find); err != nil {
		return nil, err
	}
	t.decode, err = t.settings.Maps.Decoder(0, t.schemas.Find)
	return t, err
}

// Sources says for each mapped field, as FIELD=SOURCE, where its value comes from.
func Sources(c config.Config) map[string]string {
	from := make(map[string]string)
	for _, a := range command.Mapping(c.Event).Map {
		name, source, _ := strings.Cut(a, "=")
		from[name] = source
	}
	for _, a := range c.Event.Set {
		name, _, _ := strings.Cut(a, "=")
		from[name] = "event.set"
	}
	return from
}

// Try judges a record. One without a timestamp has that of its event. An error says why the schema registry gave no clear answer.
func (t *Trial) Try(ctx context.Context, n int, r *kgo.Record) (Tried, error) {
	if err := t.schemas.Ask(ctx, r.Value); err != nil {
		return Tried{}, err
	}
	return t.try(n, r), nil
}

func (t *Trial) try(n int, r *kgo.Record) Tried {
	tried := Tried{Record: n, Event: json.RawMessage("null"), Notes: []string{}}
	untimed := r.Timestamp.IsZero()
	if untimed {
		r.Timestamp = time.Now()
	}
	switch {
	case t.to != nil:
		tried.Value, tried.Event = t.to.Value(r), t.to.Text(r)
	case json.Valid(r.Value):
		tried.Event = r.Value
	}
	var e event.Event
	if tried.Reason, tried.Detail = t.decode(r, &e); tried.Reason != event.Accepted {
		return tried
	}
	at := r.Timestamp.UnixMilli()
	if untimed {
		at = e.Timestamp
	}
	if tried.Reason = t.settings.Judge(&e, at); tried.Reason != event.Accepted {
		tried.Detail = t.settings.Detail(tried.Reason, &e, at)
	}
	tried.Notes = append(tried.Notes, e.Notes.Names()...)
	return tried
}

// Envelope reads a line of `kcat -J`: a record as JSON, with its key, headers and timestamp. A payload may be an object, as kcat -s avro
// prints it.
func Envelope(line []byte) (*kgo.Record, error) {
	var e struct {
		TS      int64
		Key     *string
		Headers []*string
		Payload json.RawMessage
	}
	if err := json.Unmarshal(line, &e); err != nil || e.Payload == nil {
		return nil, fmt.Errorf("not a line of `kcat -J`: it has no payload")
	}
	r := &kgo.Record{Value: e.Payload}
	var text string
	if json.Unmarshal(e.Payload, &text) == nil {
		r.Value = []byte(text)
	}
	if e.TS > 0 {
		r.Timestamp = time.UnixMilli(e.TS)
	}
	if e.Key != nil {
		r.Key = []byte(*e.Key)
	}
	for i := 0; i+1 < len(e.Headers); i += 2 {
		if name, value := e.Headers[i], e.Headers[i+1]; name != nil && value != nil {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: *name, Value: []byte(*value)})
		}
	}
	return r, nil
}
