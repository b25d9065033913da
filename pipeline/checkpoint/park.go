package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// ParkReason says what kept a partition from continuing.
type ParkReason string

// The reasons.
const (
	ParkedGap  ParkReason = "gap"  // of the metric only: the checkpoint has a Gap, which says more
	ParkedRead ParkReason = "read" // records that are in the log and cannot be read
	ParkedItem ParkReason = "item" // an item of the table that is damaged

	ParkedRelease ParkReason = "release" // of the metric only: another release has begun the open step, and must do it again
)

// Park is what the checkpoint of the stats lane says about a partition that is parked, until an operator resumes it.
type Park struct {
	Reason ParkReason `json:"reason"`
	Detail string     `json:"detail"`

	// From and To are the offsets that cannot be read, [From, To). Everything before From is folded. To is 0 where the
	// end is not known. Both are 0 for other reasons.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`

	// PK and SK are the key of a damaged item.
	PK string `json:"pk,omitempty"`
	SK string `json:"sk,omitempty"`
	// RestoreOnly: the item cannot be quarantined, since nothing can replace it.
	RestoreOnly bool `json:"restoreOnly,omitempty"`

	Since string `json:"since"` // RFC 3339
}

// String describes the park in one line.
func (k *Park) String() string {
	s := string(k.Reason)
	switch {
	case k.PK != "":
		s += fmt.Sprintf(" %s / %s", k.PK, k.SK)
	case k.To > k.From:
		s += fmt.Sprintf(", offsets [%d,%d)", k.From, k.To)
	case k.Reason == ParkedRead:
		s += fmt.Sprintf(", from offset %d", k.From)
	}
	return s + ": " + k.Detail
}

// Commands returns the commands that continue the partition, the one that loses nothing first.
func (k *Park) Commands(partition int32) []string {
	list := []string{fmt.Sprintf("footfall partition resume %d", partition)}
	if k.PK != "" && !k.RestoreOnly {
		list = append(list, fmt.Sprintf("footfall table quarantine %s %s", sinks.ShellWord(k.PK), sinks.ShellWord(k.SK)))
	}
	if k.Reason == ParkedRead {
		to := "OFFSET"
		if k.To > k.From {
			to = fmt.Sprint(k.To)
		}
		list = append(list, fmt.Sprintf("footfall partition skip %d --from-offset %d --to-offset %s", partition, k.From, to))
	}
	return list
}

// ParkError parks the partition that it ends, or keeps from being taken over.
type ParkError struct {
	Park  Park
	cause error
}

// NewParkError makes an error that parks its partition. Since is filled in.
func NewParkError(k Park, cause error) *ParkError {
	k.Since = time.Now().UTC().Format(time.RFC3339Nano)
	if k.Detail == "" && cause != nil {
		k.Detail = event.TruncateDetail(cause.Error())
	}
	k.RestoreOnly = errors.Is(cause, ErrNoCheckpoint)
	return &ParkError{k, cause}
}

func (e *ParkError) Error() string { return "parked: " + e.Park.String() }

func (e *ParkError) Unwrap() error { return e.cause }

const AttrPark = "park" // of the stats lane's checkpoint: a Park as JSON

func ReadPark(it sinks.Item) (*Park, error) {
	s := it[AttrPark].Str()
	if s == "" {
		return nil, nil
	}
	k := new(Park)
	if err := json.Unmarshal([]byte(s), k); err != nil {
		return nil, sinks.Damaged(it.Key(), AttrPark, err)
	}
	return k, nil
}

func (k *Park) Attr() sinks.Attr {
	b, err := json.Marshal(k)
	if err != nil {
		panic(err) // Numbers and strings marshal.
	}
	return sinks.Attr{Name: AttrPark, Value: sinks.Str(string(b))}
}
