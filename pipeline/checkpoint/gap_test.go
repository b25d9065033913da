package checkpoint

import (
	"testing"
	"time"
)

func TestGapIsWhatLiesBetweenTheChainAndTheLog(t *testing.T) {
	const topic, other = "aa", "bb"
	done := Head{Step: 4, From: 130, To: 150, Done: true, TopicID: topic, Base: 100} // offsets [30,50)
	open := done
	open.Done = false
	read := done
	read.Next = 155 // Markers of transactions lie behind the step.
	for _, c := range []struct {
		name  string
		head  Head
		topic string
		log   Extent
		want  *Gap // Step and Found aside
	}{
		{"the log holds all", done, topic, Extent{Start: 0, End: 60}, nil},
		{"an open step that the log holds", open, topic, Extent{Start: 30, End: 60}, nil},
		{"everything folded has expired", done, topic, Extent{Start: 50, End: 50}, nil},
		{"markers after the step have expired", read, topic, Extent{Start: 55, End: 55}, nil},
		{"more than that has expired", done, topic, Extent{Start: 52, End: 60},
			&Gap{Cause: GapExpired, UnreadFrom: 150, UnreadTo: 152, TopicID: topic, Base: 100}},
		{"a part of an open step has expired", open, topic, Extent{Start: 31, End: 60},
			&Gap{Cause: GapExpired, UndecidedFrom: 130, UndecidedTo: 150, UnreadFrom: 150, UnreadTo: 150, TopicID: topic, Base: 100}},
		{"an open step and more have expired", open, topic, Extent{Start: 58, End: 60},
			&Gap{Cause: GapExpired, UndecidedFrom: 130, UndecidedTo: 150, UnreadFrom: 150, UnreadTo: 158, TopicID: topic, Base: 100}},
		{"the log is shorter than what was folded", done, topic, Extent{Start: 0, End: 45},
			&Gap{Cause: GapTruncated, UnreadFrom: 150, UnreadTo: 150, TopicID: topic, Base: 105}},
		{"the log is shorter than an open step", open, topic, Extent{Start: 0, End: 20},
			&Gap{Cause: GapTruncated, UndecidedFrom: 130, UndecidedTo: 150, UnreadFrom: 150, UnreadTo: 150, TopicID: topic, Base: 130}},
		{"another topic, everything folded", done, other, Extent{Start: 0, End: 60}, nil},
		{"another topic that has lost its first records", done, other, Extent{Start: 7, End: 60},
			&Gap{Cause: GapExpired, UnreadFrom: 150, UnreadTo: 157, TopicID: other, Base: 150}},
		{"another topic under an open step", open, other, Extent{Start: 0, End: 60},
			&Gap{Cause: GapRecreated, UndecidedFrom: 130, UndecidedTo: 150, UnreadFrom: 150, UnreadTo: 150, Unbounded: true, TopicID: other,
				Base: 150}},
	} {
		now := time.Unix(0, 0)
		got := FindGap(c.head, c.topic, c.log, now)
		if c.want != nil {
			c.want.Step, c.want.Found = 4, now.UTC().Format(time.RFC3339)
		}
		if got == nil != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
