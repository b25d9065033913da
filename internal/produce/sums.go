package produce

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/eventjson"
)

// sums are columns of exports that hold sums, as sumName spells them: of Plausible, GA4, Matomo, Umami, GoatCounter and others.
var sums = setOf(`visitors visits pageviews bounces events entrances exits bouncerate visitduration views users activeusers newusers totalusers
	sessions engagedsessions eventcount viewsperactiveuser uniques uniquevisitors uniqueusers uniquepageviews actions hits nbvisits
	nbuniqvisitors nbactions nbhits pathid count`)

// sumName is the name of a column in lower case, without what separates words.
func sumName(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
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

// refuseSums returns an error if two or more columns hold sums, beside those that are mapped: the user says what these are.
func refuseSums(names []string, mapped map[string]bool) error {
	var found []string
	for _, name := range names {
		if sums[sumName(name)] && !mapped[name] {
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
	var objects eventjson.Reader
	if members, reason := objects.Object(nil, []byte(line)); reason == "" {
		for _, m := range members {
			names = append(names, m.Name)
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
