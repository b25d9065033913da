package show

import (
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/query"
)

// spanText says a range in a title; nil ends are open.
func spanText(from, to *time.Time) string {
	spell := func(t *time.Time) string { return t.Format(time.RFC3339Nano) }
	switch {
	case from == nil && to == nil:
		return "all times"
	case from == nil:
		return "before " + spell(to)
	case to == nil:
		return "from " + spell(from) + " on"
	}
	return "[" + spell(from) + ", " + spell(to) + ")"
}

// noneLeft says that an answer has no rows.
func noneLeft(s *query.Stored) string {
	if s != nil && s.Expired {
		return "Nothing is left of this range."
	}
	return "No events in this range."
}

// whereStored says where a site has data, in an answer that has none.
func whereStored(s *query.Stored) []string {
	if s == nil {
		return nil
	}
	text := "The site has data of " + s.From.Format(toDay) + " to " + s.To.AddDate(0, 0, -1).Format(toDay) + "."
	if s.Expired {
		text = "The data of this range has expired, if there was any. " + text
	}
	return []string{text}
}

// remarks are the notes that answers have in common.
func remarks(site string, known bool, expired int, cursor string) []string {
	var notes []string
	if !known {
		notes = append(notes, fmt.Sprintf("Site %s is not known: none of its events was counted, and it was not created.",
			clean(strconv.Quote(site))))
	}
	if expired > 0 {
		notes = append(notes, fmt.Sprintf("Expired items left out: %d.", expired))
	}
	if cursor != "" {
		notes = append(notes, "There is more: continue with --cursor "+cursor)
	}
	return notes
}

// covered warns of partitions whose records are missing from figures.
func covered(c query.Coverage) (notes []string) {
	for _, w := range c.Warnings {
		whose := "if it has events of this site, figures lack them"
		if w.OfSite {
			whose = "figures lack its later events"
		}
		notes = append(notes, fmt.Sprintf("Partition %s is %s: %s; %s.", w.Partition, map[string]string{query.WarnParked: "parked",
			query.WarnGap: "stopped at a gap", query.WarnBehind: "behind"}[w.Kind], whose, w.Detail))
	}
	return notes
}
