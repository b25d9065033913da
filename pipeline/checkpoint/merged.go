package checkpoint

import (
	"encoding/json"
	"reflect"
	"time"
)

// A chain's history gains an item a day, and one whenever anything is decided about a site. Once the topic no longer has the records of an
// item, and failed events of them are no longer replayed, the item is merged into the one before: that one's Merged says up to where, and
// then the item is deleted. Items that begin with other settings, another topic or a gap stay.
//
// An item that was merged said which revision of the rules its flushes had, and which record timestamps they believed. Below Merged these
// are not known any more: see HeldOf, and package verify.

const (
	// historyKept is for how long the history says everything of a flush, also of records that the topic has lost. Failed events are kept for
	// 30 days, as footfall doctor recommends, and are judged by it when they are replayed.
	historyKept = 40 * 24 * time.Hour
	// historyAhead is how many items are left before the topic's first record. A writer of raw events may have believed what the second
	// item before its own says.
	historyAhead = 3
	// mostMerged bounds the items that are merged at a time.
	mostMerged = 500
)

// Merge says which items of a chain's history become part of another.
type Merge struct {
	Into  int64   // step of the item that stays
	To    int64   // its Merged
	Steps []int64 // of the items that are deleted once it has
}

// MergesOf returns what to merge of a history. list has its first items, in order. start is the position of the topic's first record.
func MergesOf(list []History, start int64, now time.Time) (merges []Merge) {
	kept, known := 0, NotAfter(now.Add(-historyKept))
	for i, n := 1, 0; i+historyAhead < len(list) && n < mostMerged; i++ {
		if list[i+historyAhead].From > start || RecordedNotAfter(list[i+1].Ver) >= known {
			break
		}
		e := list[i]
		if e.Gap != nil || e.Forgot != nil || !list[kept].decidesAs(e) {
			kept = i
			continue
		}
		if len(merges) == 0 || merges[len(merges)-1].Into != list[kept].Step {
			merges = append(merges, Merge{Into: list[kept].Step})
		}
		m := &merges[len(merges)-1]
		m.To, m.Steps, n = list[i+1].From, append(m.Steps, e.Step), n+1
	}
	return merges
}

// decidesAs reports whether two items differ only in what merging gives up.
func (h History) decidesAs(e History) bool {
	if h.TopicID != e.TopicID || h.Base != e.Base {
		return false
	}
	var a, b Settings // Of any release: nothing is folded under them.
	if json.Unmarshal([]byte(h.Ver), &a) != nil || json.Unmarshal([]byte(e.Ver), &b) != nil {
		return false
	}
	a.NotAfter, a.Rules, b.NotAfter, b.Rules = 0, 0, 0, 0
	return reflect.DeepEqual(a, b)
}
