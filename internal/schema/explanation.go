package schema

import "time"

// An Explanation says in words what an item of the table means: see [Explain].
type Explanation struct {
	PK         string     `json:"pk"`
	SK         string     `json:"sk"`
	Item       string     `json:"item"`   // type of the item; "": none that this footfall knows
	Entity     string     `json:"entity"` // as the item says, otherwise as the key says
	About      string     `json:"about"`
	Generation int        `json:"generation"` // of the items; 1 unless they were rebuilt, or of all generations
	Key        []Fact     `json:"key"`        // what the key says, ids decoded
	Marks      []Mark     `json:"marks"`      // the steps that are folded into the item
	Attributes []Fact     `json:"attributes"` // all of them, by name
	ExpiresAt  *time.Time `json:"expiresAt"`  // null: never
	Expired    bool       `json:"expired"`    // readers leave it out, whether the store has deleted it or not
	Bytes      int        `json:"bytes"`
	WriteUnits float64    `json:"writeUnits"` // of a write to the table
	IndexUnits float64    `json:"indexUnits"` // besides, when it comes into GSI1
	Notes      []string   `json:"notes"`      // what is odd about it
}

// A Fact is a part of an item. The value is spelled as the store has it: a number in digits, bytes in base64, a list as one.
type Fact struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`  // S, N, B or L; "": a part of the key
	Value   any    `json:"value"`           // a string or a list of strings; null: it is a secret
	Meaning string `json:"meaning"`         // of the value; "": it speaks for itself
	About   string `json:"about,omitempty"` // what the attribute is; "": part of the key, or not known
}

// A Mark is the last flush of a partition and lane that an item contains.
type Mark struct {
	Lane      string `json:"lane"`
	Topic     int64  `json:"topic"` // its number in the table
	Partition int32  `json:"partition"`
	Step      int64  `json:"flush"`
}
