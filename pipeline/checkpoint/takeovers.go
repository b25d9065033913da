package checkpoint

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// A Takeover says when an owner has taken over a partition, and what it found. It is for people: the group's commits have those of the
// last day in their metadata, and nothing is decided by them.
type Takeover struct {
	At      time.Time `json:"at"` // by the owner's clock, in seconds
	Epoch   int64     `json:"epoch"`
	Owner   string    `json:"owner"`
	Repeats []string  `json:"repeats,omitempty"` // the lanes whose open flush it did again; none: the last owner had completed them
}

// Takeovers are those of a partition, one of each epoch, in their order.
type Takeovers []Takeover

// What of them is kept. A broker takes 4,096 bytes of metadata (offset.metadata.max.bytes).
const (
	takeoversFor   = 24 * time.Hour
	takeoversBytes = 2000
)

// takeoversMark begins them in a commit's metadata.
const takeoversMark = " takeovers="

// ReadTakeovers returns those in a commit's metadata. One that is another program's has none.
func ReadTakeovers(metadata string) (list Takeovers) {
	_, text, _ := strings.Cut(metadata, takeoversMark)
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// Recent returns the takeovers of the last day.
func (list Takeovers) Recent(now time.Time) Takeovers {
	return slices.DeleteFunc(slices.Clone(list), func(t Takeover) bool { return now.Sub(t.At) >= takeoversFor })
}

// Metadata returns text for a commit's metadata, with the takeovers as of now.
func (list Takeovers) Metadata(text string, now time.Time) string {
	for list = list.Recent(now); len(list) > 0; list = list[1:] {
		if b, err := json.Marshal(list); err == nil && len(b) <= takeoversBytes {
			return text + takeoversMark + string(b)
		}
	}
	return text
}

// With returns the takeovers with others.
func (list Takeovers) With(more ...Takeover) Takeovers {
	all := slices.Concat(list, more)
	slices.SortFunc(all, func(a, b Takeover) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return slices.CompactFunc(all, func(a, b Takeover) bool { return a.Epoch == b.Epoch })
}
