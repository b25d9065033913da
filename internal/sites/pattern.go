package sites

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// PatternOn is what a pattern looks at.
type PatternOn string

// What patterns look at.
const (
	OnPage  PatternOn = "page"  // page views, by their page
	OnEvent PatternOn = "event" // all events, by type and name
)

// PatternHow is how a pattern compares its text with a page.
type PatternHow string

// The comparisons.
const (
	MatchExact    PatternHow = "exact"
	MatchPrefix   PatternHow = "prefix"
	MatchContains PatternHow = "contains"
	MatchRegexp   PatternHow = "regexp"
)

// Limits of patterns.
const (
	MaxPatternBytes = 2048 // urls are cut at it: a longer text would match nothing
	MaxTypeBytes    = 64   // of an event's type
	MaxNameBytes    = 128  // of an event's name
	MaxRegexpBytes  = 256

	// MaxInstructions bounds the program that a regexp is compiled to: [a-z]{1000} is a short text and a long program, and a
	// comparison costs at most program times page. 500 is where package regexp leaves its faster way. With a page of 2 KiB that
	// is a million steps: (.*){90}x takes 4.5 ms over 2 KiB of a. The program of ^/item/[0-9]+$ has a dozen instructions.
	MaxInstructions = 500
)

// PageView is the type of page views.
const PageView = "page_view"

// A Pattern says which events are meant. Patterns are comparable: equal ones mean the same.
type Pattern struct {
	On   PatternOn  `json:"on"`
	How  PatternHow `json:"how,omitempty"`  // of pages
	Text string     `json:"text,omitempty"` // of pages: what is compared with the page
	Type string     `json:"type,omitempty"` // of events; "": any
	Name string     `json:"name,omitempty"` // of events; "": any
}

// Validate reports why p cannot be used, each fault with its value and remedy.
func (p Pattern) Validate() error {
	_, err := p.Compile()
	return err
}

// Compile makes a pattern ready to match. Its errors are those of Validate.
func (p Pattern) Compile() (*Matcher, error) {
	m := &Matcher{pattern: p, text: []byte(p.Text)}
	var err error
	switch p.On {
	case OnPage:
		if err = p.validatePage(); err == nil && p.How == MatchRegexp {
			m.regexp, err = compile(p.Text)
		}
	case OnEvent:
		err = p.validateEvent()
	default:
		err = fmt.Errorf("on %q: give page or event", p.On)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (p Pattern) validatePage() error {
	var faults []error
	if p.Type != "" || p.Name != "" {
		faults = append(faults, fmt.Errorf("type %q, name %q: leave them out on pages, or look on events", p.Type, p.Name))
	}
	limit := MaxPatternBytes
	switch p.How {
	case MatchExact, MatchPrefix, MatchContains:
		// Said of what could never match, since it is a mistake that nobody would find.
		if strings.ContainsAny(p.Text, "?#") {
			faults = append(faults, fmt.Errorf("text %q: pages have no query and no fragment; leave out what follows ? or #", p.Text))
		}
		if p.How != MatchContains && (strings.HasPrefix(p.Text, "http://") || strings.HasPrefix(p.Text, "https://")) {
			faults = append(faults, fmt.Errorf("text %q: a page is a path; leave out scheme and host", p.Text))
		}
	case MatchRegexp:
		limit = MaxRegexpBytes
	default:
		faults = append(faults, fmt.Errorf("how %q: give exact, prefix, contains or regexp", p.How))
	}
	if p.Text == "" {
		faults = append(faults, errors.New(`text "": give what to look for; any page view is the event of type page_view`))
	}
	return errors.Join(append(faults, checkBounded("text", p.Text, limit))...)
}

func (p Pattern) validateEvent() error {
	var faults []error
	if p.How != "" || p.Text != "" {
		faults = append(faults, fmt.Errorf("how %q, text %q: leave them out on events, and give type, name or both", p.How, p.Text))
	} else if p.Type == "" && p.Name == "" {
		faults = append(faults, errors.New(`type "", name "": give one of them, or both`))
	}
	return errors.Join(append(faults, checkBounded("type", p.Type, MaxTypeBytes), checkBounded("name", p.Name, MaxNameBytes))...)
}

func checkBounded(field, value string, limit int) error {
	switch {
	case len(value) > limit:
		return fmt.Errorf("%s of %d bytes: give at most %d", field, len(value), limit)
	case !utf8.ValidString(value):
		return fmt.Errorf("%s %q is not valid UTF-8: spell it in UTF-8, as events are", field, value)
	}
	return nil
}

func compile(text string) (*regexp.Regexp, error) {
	// Nested repetitions are bounded by the parser, so that the program of 256 bytes is small enough to be counted.
	parsed, err := syntax.Parse(text, syntax.Perl)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("text %q is not a regular expression: %s at `%s`; see https://pkg.go.dev/regexp/syntax", text, wrong.Code, wrong.Expr)
	}
	if err != nil {
		return nil, fmt.Errorf("text %q: %w", text, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("text %q: %w", text, err)
	}
	if n := len(program.Inst); n > MaxInstructions {
		return nil, fmt.Errorf("text %q compiles to %d instructions, at most %d are allowed: use fewer repetitions", text, n, MaxInstructions)
	}
	return regexp.Compile(text)
}

// A Matcher is a pattern that is ready to match. Safe for concurrent use.
type Matcher struct {
	pattern Pattern
	text    []byte
	regexp  *regexp.Regexp
}

// Pattern returns what m was compiled from.
func (m *Matcher) Pattern() Pattern { return m.pattern }

// Matches reports whether the pattern means an event of this type, name and page; name and page are nil where the event has
// none. It keeps nothing and, regexps apart, does not allocate.
func (m *Matcher) Matches(typ, name, page []byte) bool {
	p := &m.pattern
	if p.On == OnEvent {
		return (p.Type == "" || string(typ) == p.Type) && (p.Name == "" || string(name) == p.Name)
	}
	if string(typ) != PageView || page == nil {
		return false
	}
	switch p.How {
	case MatchExact:
		return bytes.Equal(page, m.text)
	case MatchPrefix:
		return bytes.HasPrefix(page, m.text)
	case MatchContains:
		return bytes.Contains(page, m.text)
	}
	return m.regexp.Match(page)
}
