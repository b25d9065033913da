package doctor

import (
	"fmt"
	"time"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	OK        Severity = "ok"
	Warning   Severity = "warning"   // figures are right, and something may endanger them or stop the pipeline
	Error     Severity = "error"     // the pipeline does not run, or figures will be wrong or lost
	Unchecked Severity = "unchecked" // it could not be checked: the service does not have it, or does not report it
)

// Finding is what one check found.
type Finding struct {
	Check     string   `json:"check"` // what was looked at, as in topic.retention
	Severity  Severity `json:"severity"`
	Found     string   `json:"found"`
	Endangers string   `json:"endangers"` // what happens if it stays so; "" where nothing does
	Commands  []string `json:"commands"`  // that mend it; none: see Endangers
}

// Line is the finding as one line, for logs.
func (f Finding) Line() string {
	line := f.Found
	if f.Endangers != "" {
		line += ": " + f.Endangers
	}
	for i, command := range f.Commands {
		word := ": run"
		if i > 0 {
			word = ", then"
		}
		line += fmt.Sprintf("%s `%s`", word, command)
	}
	return line
}

// unchecked makes f say that it could not be checked, and why.
func (f Finding) unchecked(err error) Finding {
	f.Severity, f.Found = Unchecked, "could not be checked: "+err.Error()
	return f
}

// Report is what an examination found.
type Report struct {
	Version   int       `json:"version"` // of this JSON: 1. It rises if a field changes its meaning or is removed
	AskedAt   time.Time `json:"askedAt"`
	Topic     string    `json:"topic"`
	Table     string    `json:"table"`
	Errors    int       `json:"errors"`
	Warnings  int       `json:"warnings"`
	Unchecked int       `json:"unchecked"`
	Findings  []Finding `json:"findings"`

	Answered bool `json:"-"` // the brokers or the table could be asked
}

// ReportVersion is the Version of reports.
const ReportVersion = 1

// count sums the findings up.
func (r *Report) count() {
	for i, f := range r.Findings {
		switch f.Severity {
		case Error:
			r.Errors++
		case Warning:
			r.Warnings++
		case Unchecked:
			r.Unchecked++
		}
		if f.Commands == nil {
			r.Findings[i].Commands = []string{}
		}
	}
}
