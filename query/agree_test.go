package query_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

// An object is one of a JSON document, whose numbers are as they are spelled.
type object = map[string]any

func objectOf(t *testing.T, text string) (o object) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil || d.More() {
		t.Fatalf("not one JSON object (%v): %s", err, text)
	}
	return o
}

// listNames name the rows in the JSON of answers that are lists.
var listNames = map[reflect.Type]string{
	reflect.TypeFor[query.StatsAnswer]():        "buckets",
	reflect.TypeFor[query.GoalStatsAnswer]():    "buckets",
	reflect.TypeFor[query.TopAnswer]():          "rows",
	reflect.TypeFor[query.FunnelReportAnswer](): "steps",
	reflect.TypeFor[query.SessionsAnswer]():     "sessions",
	reflect.TypeFor[query.PathsAnswer]():        "rows",
	reflect.TypeFor[query.SessionAnswer]():      "parts",
	reflect.TypeFor[query.EventsAnswer]():       "events",
	reflect.TypeFor[query.SitesAnswer]():        "sites",
	reflect.TypeFor[query.GoalsAnswer]():        "goals",
	reflect.TypeFor[query.ConversionsAnswer]():  "conversions",
	reflect.TypeFor[query.FunnelsAnswer]():      "funnels",
}

// listOf returns the objects that are the rows of an answer. Of an answer that is no list, it is the answer.
func listOf(answer any, doc object) (rows []object) {
	name, list := listNames[reflect.TypeOf(answer)]
	if !list {
		return []object{doc}
	}
	for _, row := range doc[name].([]any) {
		rows = append(rows, row.(object))
	}
	return rows
}

// rowsOf returns the objects that are the rows of an answer's CSV and table.
func rowsOf(answer any, doc object) (rows []object) {
	one := func(name string) []object {
		if o, ok := doc[name].(object); ok {
			return []object{o}
		}
		return nil
	}
	list := listOf(answer, doc)
	switch answer.(type) {
	case query.SiteAnswer:
		list = one("site")
	case query.GoalAnswer:
		list = one("goal")
	case query.FunnelAnswer:
		for i, step := range doc["steps"].([]any) {
			rows = append(rows, object{"step": json.Number(fmt.Sprint(i + 1)), "match": step})
		}
		return rows
	case query.FunnelsAnswer:
		for _, row := range list {
			row["steps"] = json.Number(fmt.Sprint(len(row["steps"].([]any))))
		}
	case query.TopAnswer:
		for _, row := range list {
			row["kind"] = "value"
		}
	case query.GoalStatsAnswer:
		for _, bucket := range list {
			for _, goal := range bucket["goals"].([]any) {
				row := maps.Clone(bucket)
				maps.Copy(row, goal.(object))
				rows = append(rows, row)
			}
		}
		return rows
	}
	for _, row := range list {
		if retention, ok := row["retention"].(object); ok {
			maps.Copy(row, retention)
		}
	}
	return list
}

// plain is a value of a JSON document as a text.
func plain(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		var texts []string
		for _, each := range v {
			texts = append(texts, plain("", each))
		}
		return strings.Join(texts, " ")
	case object:
		if name == "match" { // As people write a step.
			text := fmt.Sprint(v["on"])
			for _, part := range []string{"how", "type"} {
				if v[part] != nil && v[part] != "is" {
					text += map[string]string{"how": "-", "type": ":"}[part] + fmt.Sprint(v[part])
				}
			}
			if v["name"] != nil {
				text = strings.TrimPrefix(fmt.Sprint(text, " name:", v["name"]), "event ")
			}
			if v["text"] != nil {
				text += fmt.Sprint(":", v["text"])
			}
			return text
		}
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	return fmt.Sprint(v)
}

// hidden are the characters of the showcase that steer terminals.
var hidden = strings.NewReplacer("\x1b", `\u001b`, "\u202e", `\u202e`, "\n", `\u000a`)

// What is printed of an answer as JSON, as lines of JSON, as CSV and as a table is what the answer in memory has.
func TestFormatsAgree(t *testing.T) {
	for name, answer := range showcases(t) {
		t.Run(name, func(t *testing.T) {
			memory := compact(t, answer)
			text, notes := printed(t, show.JSON, answer)
			doc := objectOf(t, text)
			if !strings.HasPrefix(text, "{\n  \"formatVersion\": 1") || notes != "" {
				t.Errorf("JSON begins without its version, or has notes: %s%s", text, notes)
			}
			delete(doc, "formatVersion")
			if got, want := compact(t, doc), compact(t, objectOf(t, memory)); got != want {
				t.Errorf("JSON is\n%s\nwant\n%s", got, want)
			}
			text, said := printed(t, show.NDJSON, answer)
			var got []string
			for line := range strings.Lines(text) {
				got = append(got, compact(t, objectOf(t, line)))
			}
			var want []string
			for _, row := range listOf(answer, doc) {
				want = append(want, compact(t, row))
			}
			if !slices.Equal(got, want) {
				t.Errorf("lines of JSON are\n%s\nwant\n%s", got, want)
			}
			text, notes = printed(t, show.CSV, answer)
			if notes != said {
				t.Errorf("CSV has the notes %q, and lines of JSON %q", notes, said)
			}
			records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if records[0][0] == "of" {
				checkChangesCSV(t, records, doc)
			} else {
				checkCSV(t, answer, records, objectOf(t, memory))
			}
			text, more := printed(t, show.Table, answer)
			if strings.ContainsAny(text, "\x1b\u202e") || more != "" {
				t.Errorf("the table has characters that steer a terminal, or notes beside it: %q", more)
			}
			if _, turned := answer.(query.SessionAnswer); !turned {
				checkTable(t, answer, tablesOf(text)[0], objectOf(t, memory))
			}
		})
	}
}

func checkCSV(t *testing.T, answer any, records [][]string, doc object) {
	t.Helper()
	rows := rowsOf(answer, doc)
	if top, ok := answer.(query.TopAnswer); ok {
		for _, record := range records[len(rows)+1:] {
			row := doc[record[1]].(object)
			row["kind"], row["value"] = record[1], ""
			rows = append(rows, row)
		}
		if none := top.None != nil && top.None.Events+top.None.Sessions > 0; none != slices.ContainsFunc(records, func(r []string) bool {
			return r[1] == "none"
		}) || (top.Bots != nil) != slices.ContainsFunc(records, func(r []string) bool { return r[1] == "bots" }) {
			t.Errorf("CSV lacks a row of what has no value or of bots, or has one too many: %q", records)
		}
	}
	if len(records) != len(rows)+1 {
		t.Fatalf("CSV has %d rows, want %d", len(records)-1, len(rows))
	}
	for i, record := range records[1:] {
		for j, name := range records[0] {
			want := hidden.Replace(plain(name, rows[i][name]))
			if _, there := rows[i][name]; !there && (name == "foreign" || name == "excluded") {
				want = "false"
			}
			if record[j] == want || name == "properties" && compact(t, objectOf(t, record[j])) == want {
				continue
			}
			if _, top := answer.(query.TopAnswer); top && record[j] == "" && slices.Contains([]string{"0", ""}, want) {
				continue // It is not counted of these values: TestTopShowsWhatIsCounted of package show.
			}
			t.Errorf("row %d of the CSV has %s %q, want %q", i, name, record[j], want)
		}
	}
}

// checkChangesCSV holds a line for each figure of ranges and buckets against the figures.
func checkChangesCSV(t *testing.T, records [][]string, doc object) {
	t.Helper()
	at := func(o any, path ...string) any {
		for _, name := range path {
			in, ok := o.(object)
			if !ok {
				return nil
			}
			o = in[name]
		}
		return o
	}
	buckets := make(map[string]object)
	for _, b := range listOf(query.StatsAnswer{}, doc) {
		if b["change"] != nil {
			buckets[fmt.Sprint(b["start"])] = b
		}
	}
	for _, record := range records[1:] {
		now, before, change := doc["totals"], at(doc, "previous", "totals"), at(doc, "previous", "change")
		from, to, beforeFrom, beforeTo, in := doc["from"], doc["to"], at(doc, "previous", "from"), at(doc, "previous", "to"), any(doc)
		figure := record[5]
		if record[0] == "bucket" {
			b := buckets[record[1]]
			now, before, change, in = b, b["previous"], b["change"], b
			from, to, beforeFrom, beforeTo = b["start"], b["end"], at(b, "previous", "start"), at(b, "previous", "end")
		}
		partial := plain("", at(now, "clippedByRange")) == "true" || plain("", at(before, "clippedByRange")) == "true"
		expired := plain("", at(in, "dataExpired")) == "true" || plain("", at(in, "previous", "dataExpired")) == "true"
		want := []string{record[0], plain("", from), plain("", to), plain("", beforeFrom), plain("", beforeTo), figure,
			plain("", at(now, figure)), plain("", at(before, figure)), plain("", at(change, figure, "absolute")),
			plain("", at(change, figure, "relative")), fmt.Sprint(partial), plain("", at(in, "inProgress")), fmt.Sprint(expired)}
		if !slices.Equal(record, want) {
			t.Errorf("CSV has %q, want %q", record, want)
		}
	}
	figures := at(doc, "previous", "change").(object)
	for name := range figures {
		if n := len(slices.DeleteFunc(slices.Clone(records), func(r []string) bool { return r[5] != name })); n != len(buckets)+1 {
			t.Errorf("%d lines of %s in the CSV, want %d", n, name, len(buckets)+1)
		}
	}
}

// A printedTable is a table as people see it.
type printedTable struct {
	head []string
	rows [][]string
}

// tablesOf finds the tables in what is printed; one without anything, if there are none.
func tablesOf(text string) (tables []printedTable) {
	var lines [][]rune
	for line := range strings.Lines(text + "the end") {
		switch {
		case strings.HasPrefix(line, "──"):
		case strings.HasPrefix(line, " "):
			lines = append(lines, []rune(strings.TrimSuffix(line, "\n")))
		case len(lines) > 0:
			tables, lines = append(tables, tableOf(lines)), nil
		}
	}
	if len(tables) == 0 {
		return []printedTable{{}}
	}
	return tables
}

// tableOf divides lines into cells: all lines have two blanks or more between columns.
func tableOf(lines [][]rune) printedTable {
	width := 0
	for _, line := range lines {
		width = max(width, len(line))
	}
	blank := func(at int) bool {
		return !slices.ContainsFunc(lines, func(line []rune) bool { return at < len(line) && line[at] != ' ' })
	}
	cells, begin := make([][]string, len(lines)), 0
	for at := 1; at <= width; at++ {
		if at < width && !(blank(at) && blank(at+1)) {
			continue
		}
		for i, line := range lines {
			cells[i] = append(cells[i], strings.TrimSpace(string(line[min(begin, len(line)):min(at, len(line))])))
		}
		for begin = at; at < width && blank(at+1); at++ {
		}
	}
	return printedTable{cells[0], cells[1:]}
}

// titles are the names of the figures that people see under a title.
var titles = map[string]string{"Site": "siteId", "Name": "name", "Domains": "domains", "Owner": "owner", "Created (UTC)": "createdAt",
	"Zone": "timeZone", "Shards": "shards", "Raw days": "rawDays", "Page views": "pageViews", "Events": "events", "Visitors": "uniqueVisitors",
	"New": "newVisitors", "Returning": "returningVisitors", "Sessions": "sessions", "Bounce rate": "bounceRate",
	"Engagement rate": "engagementRate", "Avg duration": "avgDurationMs", "Pages/session": "pagesPerSession", "Values": "values",
	"Value sum": "valueSum", "Least value": "valueMin", "Greatest value": "valueMax", "Least": "valueMin", "Greatest": "valueMax",
	"Conversions": "conversions", "Bot events": "botEvents", "Bot page views": "botPageViews", "Share": "share",
	"Max. undercount": "maxUndercount", "Entries": "entries", "Exits": "exits", "Exit rate": "exitRate", "Time on page": "avgTimeOnPageMs",
	"Scroll depth": "avgScrollDepth", "Current visitors": "currentVisitors", "Session": "sessionId", "Visitor": "visitorId", "User": "userId",
	"Started (UTC)": "startedAt", "Duration": "durationMs", "Bounce": "bounce", "Engaged": "engaged", "Entry page": "entryPage",
	"Exit page": "exitPage", "Channel": "channel", "Country": "country", "Device": "device", "Goals": "goals", "Partition": "partition",
	"Type": "type", "Source": "source", "Bot": "bot", "Goal": "goalId", "Number": "number", "Active": "active", "Deleted": "deleted",
	"Revision": "revision", "Conversion rate": "conversionRate", "Page": "page", "Strict": "strict", "Version": "version", "By": "changedBy",
	"Changed (UTC)": "changedAt", "Step": "step", "What": "match", "Of the first": "shareOfFirst", "Of the previous": "shareOfPrevious",
	"Lost": "dropOff", "Median time": "medianMs", "Exact": "exact", "Hours": "hours", "Funnel": "funnelId", "Steps": "steps",
	"Within": "windowMs", "New visitors": "newVisitors"}

// forPeople spells a value as people see it.
func forPeople(t *testing.T, name string, v any) string {
	t.Helper()
	text := strings.NewReplacer("\x1b", `\x1b`, "\u202e", `\u202e`, "\n", `\n`).Replace(plain(name, v))
	number, err := strconv.ParseFloat(text, 64)
	switch {
	case v == nil:
		return "-"
	case v == true:
		return "yes"
	case v == false:
		return "no"
	case err == nil && strings.HasSuffix(name, "Ms"):
		span := time.Duration(number) * time.Millisecond
		if name != "windowMs" && span < 10*time.Second {
			span = span.Round(100 * time.Millisecond)
		} else if name != "windowMs" {
			span = span.Round(time.Second)
		}
		return span.String()
	case err == nil && (strings.HasSuffix(name, "Rate") || strings.HasPrefix(name, "share") || name == "avgScrollDepth"):
		return fmt.Sprintf("%.1f %%", 100*number)
	case err == nil && name == "pagesPerSession":
		return fmt.Sprintf("%.2f", number)
	case strings.HasSuffix(name, "At"):
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		if name == "startedAt" {
			return at.Format("2006-01-02 15:04:05")
		}
		return at.Format("2006-01-02 15:04")
	}
	return text
}

// checkTable holds the rows of the first table, and those of the range and of values that are not shown, against the answer.
func checkTable(t *testing.T, answer any, table printedTable, doc object) {
	t.Helper()
	rows := rowsOf(answer, doc)
	for i, cells := range table.rows {
		var row object
		switch {
		case i < len(rows):
			row = rows[i]
		case strings.HasPrefix(cells[0], "Total"):
			row, _ = doc["totals"].(object)
		default:
			row, _ = doc[map[string]string{"(none)": "none", "(others)": "other", "(bots)": "bots"}[cells[0]]].(object)
		}
		if row == nil {
			t.Errorf("the table has a row %q that the answer has not", cells)
			continue
		}
		for j, title := range table.head {
			name, known := titles[title]
			if !known {
				continue // It is the name of the row, an instant, or a text of its own.
			}
			if row[name] == nil && row["visitors"] != nil && name == "uniqueVisitors" {
				name = "visitors" // of a step
			}
			cell, want := cells[j], ""
			if _, there := row[name]; there {
				want = forPeople(t, name, row[name])
			}
			if doc["previous"] != nil {
				cell, _, _ = strings.Cut(cell, " (") // Changes are in the golden file.
			}
			cell = strings.TrimSuffix(strings.TrimPrefix(cell, "~"), "*")
			if _, top := answer.(query.TopAnswer); top && (cell == "-" || cell == "") && strings.Trim(want, "-0.% s") == "" {
				continue // It is not counted of these values.
			}
			if cell != want {
				t.Errorf("the table has %s %q in the row %s, want %q", title, cell, cells[0], want)
			}
		}
	}
	if len(table.rows) < len(rows) {
		t.Errorf("the table has %d rows, want %d", len(table.rows), len(rows))
	}
}
