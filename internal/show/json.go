package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/footfall/footfall/query"
)

// FormatVersion is the version of the JSON documents that commands print, and their first field. footfall docs json says what may change
// within a version.
const FormatVersion = 1

// WriteJSON writes a document: the fields of answer, which must become a JSON object, after the version of the format.
func WriteJSON(w io.Writer, answer any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(answer); err != nil {
		return err
	}
	fields, ok := bytes.CutPrefix(b.Bytes(), []byte("{"))
	if !ok {
		return fmt.Errorf("a %T is no JSON object", answer)
	}
	version := fmt.Sprintf("{\n  \"formatVersion\": %d", FormatVersion)
	if fields[0] != '}' {
		version += ","
	}
	if _, err := io.WriteString(w, version); err != nil {
		return err
	}
	_, err := w.Write(fields)
	return err
}

// WriteLines writes the rows of an answer, one a line.
func WriteLines(w io.Writer, answer any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	rows := reflect.ValueOf(rowsOf(answer))
	for i := range rows.Len() {
		if err := e.Encode(rows.Index(i).Interface()); err != nil {
			return err
		}
	}
	return nil
}

// A Lister is an answer of a command, other than those of package query, that is a list.
type Lister interface {
	Rows() any // a slice
}

// rowsOf returns the list that an answer has, as a slice; of an answer that is no list, the answer itself.
func rowsOf(answer any) any {
	switch a := answer.(type) {
	case query.SitesAnswer:
		return a.Sites
	case query.SitesFiguresAnswer:
		return a.Sites
	case query.EachSiteAnswer:
		return a.Rows
	case query.StatsAnswer:
		return a.Buckets
	case query.FilteredStatsAnswer:
		return a.Buckets
	case query.GoalStatsAnswer:
		return a.Buckets
	case query.FunnelReportAnswer:
		return a.Steps
	case query.PathsAnswer:
		return a.Rows
	case query.TopAnswer:
		return a.Rows
	case query.FilteredTopAnswer:
		return a.Rows
	case query.SessionsAnswer:
		return a.Sessions
	case query.SessionAnswer:
		return a.Parts
	case query.EventsAnswer:
		return a.Events
	case query.GoalsAnswer:
		return a.Goals
	case query.ConversionsAnswer:
		return a.Conversions
	case query.FunnelsAnswer:
		return a.Funnels
	case query.AnnotationsAnswer:
		return a.Annotations
	case query.AlertsAnswer:
		return a.Findings
	case query.RetentionAnswer:
		return a.Cohorts
	case Lister:
		return a.Rows()
	}
	return []any{answer}
}
