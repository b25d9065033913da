package produce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/accesslog"
)

// sums are columns of exports that hold sums, in lower case: of Plausible, GA4, Matomo, Umami and GoatCounter.
var sums = []string{
	"visitors", "visits", "pageviews", "bounces", "events", "entrances", "exits", "bounce rate", "visit_duration",
	"views", "users", "active users", "new users", "total users", "sessions", "engaged sessions", "event count", "views per active user",
	"unique visitors", "unique pageviews", "actions", "hits", "nb_visits", "nb_uniq_visitors", "nb_actions", "nb_hits",
	"path_id", "count",
}

// ErrSums reports a file of sums, which have no visits any more that could be counted.
type ErrSums struct {
	Columns []string // those with the sums
}

// Error names the columns and the remedy.
func (e *ErrSums) Error() string {
	return fmt.Sprintf("it has sums, in the columns %s, and no single hits: sessions and visitors cannot be counted from sums. Export hits, "+
		"as in docs/import.md", strings.Join(e.Columns, ", "))
}

// refuseSums returns an error if two or more columns hold sums.
func refuseSums(names []string) error {
	var found []string
	for _, name := range names {
		if slices.Contains(sums, strings.ToLower(name)) {
			found = append(found, name)
		}
	}
	if len(found) < 2 {
		return nil
	}
	return &ErrSums{found}
}

// headerOf are the names of the columns that a file's first line may be: those of a table, or the keys of an object.
func headerOf(line string) (names []string) {
	var objects reader
	if members, reason := objects.object(nil, []byte(line)); reason == "" {
		for _, m := range members {
			names = append(names, m.name)
		}
		return names
	}
	table := rows{tabs: strings.Contains(line, "\t")}
	table.separate(line)
	cells, _ := table.split(line) // Without a closing quote it is no header.
	return columns(cells)
}

// columns are the cells of a header as names.
func columns(cells []string) []string {
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = strings.TrimSpace(string(accesslog.ValidText([]byte(cell), "%")))
	}
	return names
}
