package accesslog

import (
	"fmt"
	"regexp"
	"strings"
)

// layout is how the lines of a format look: text, a field, text, a field and so on. The zero value reads nothing.
type layout struct {
	prefix   string
	steps    []step
	times    string // layout of the times, as Go has it; "": any
	noStatus bool   // lines have none: all are taken for 200
	noMethod bool   // lines have none: all are taken for GET
	hosts    bool   // a field is the host
	lacks    []string
}

// step takes one field and what follows it off the front of a line.
type step struct {
	field  field
	until  string // what follows
	quoted bool   // the field is in double quotes, with a space or the line's end after them
	loose  bool   // spaces before it are passed over
	within int    // how often what follows is in the field, too: in a time with spaces
}

// token is a word of a layout, or a text between words.
type token struct {
	text  string // of no word
	field field
	time  string // of an instant: its layout, as Go has it; "": any
	word  string // as it is spelled; "": a text
	loose bool
}

// quotedText is a text in quotes, in which a backslash keeps a quote from being its end.
const quotedText = `(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`

// directive finds the texts in quotes of a directive of nginx, which it puts together, or of Apache.
var directive = regexp.MustCompile(`^\s*(?:log_format\s+\S+(?:\s+escape=\w+)?((?:\s*` + quotedText + `)+)|(?i:LogFormat)\s+(` +
	quotedText + `))`)

// directiveText is the layout in a directive, as in log_format main '$remote_addr ...' or LogFormat "%h ..." combined; other texts stay.
func directiveText(text string) string {
	found := directive.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	var layout strings.Builder
	for _, part := range regexp.MustCompile(quotedText).FindAllString(found[1]+found[2], -1) {
		layout.WriteString(strings.ReplaceAll(part[1:len(part)-1], `\'`, `'`))
	}
	return layout.String()
}

// compile reads a layout in the words of nginx ($remote_addr), Apache (%h, %{Referer}i) or GoAccess (%h %^[%d:%t %^]).
func compile(text string) (*layout, error) {
	tokens, err := tokensOf(strings.NewReplacer(`\"`, `"`, `\t`, "\t").Replace(directiveText(text)))
	if err != nil {
		return nil, err
	}
	l := &layout{}
	has := make(map[field]bool)
	loose := false
	for i, t := range tokens {
		switch {
		case t.loose:
			loose = true
		case t.word == "" && len(l.steps) == 0:
			l.prefix += t.text
		case t.word == "":
			l.steps[len(l.steps)-1].until += t.text
		default:
			if n := len(l.steps); n > 0 && l.steps[n-1].until == "" && !loose && !(l.steps[n-1].field == host && t.field == target) {
				return nil, fmt.Errorf("%s and %s have nothing between them: lines cannot be taken apart there", tokens[i-1].word, t.word)
			}
			l.steps = append(l.steps, step{field: t.field, loose: loose})
			has[t.field], loose = true, false
			if t.time != "" {
				l.times = t.time
			}
		}
	}
	l.quotes()
	for i := range l.steps {
		if s := &l.steps[i]; s.field == instant && l.times != "" && s.until != "" {
			s.within = strings.Count(l.times, s.until)
		}
	}
	l.noStatus, l.noMethod, l.hosts = !has[status], !has[method] && !has[request], has[host]
	for _, f := range []struct {
		field
		without string
	}{{status, "status: failed requests and redirects count as pages, too"},
		{userAgent, "user agent: a visitor is an address, and bots are not found by their names"},
		{referrer, "referrer: visits have no sources"}} {
		if !has[f.field] {
			l.lacks = append(l.lacks, f.without)
		}
	}
	switch {
	case !has[address] && !has[forwarded]:
		return nil, fmt.Errorf("no word is the visitor's address, as $remote_addr and %%h are")
	case !has[request] && !has[target]:
		return nil, fmt.Errorf("no word is the request, as $request and %%r are")
	}
	return l, nil
}

// quotes finds the fields in quotes, and takes the quotes out of the texts.
func (l *layout) quotes() {
	before := &l.prefix
	for i := range l.steps {
		s := &l.steps[i]
		if strings.HasSuffix(*before, `"`) && strings.HasPrefix(s.until, `"`) {
			s.quoted = true
			*before, s.until = strings.TrimSuffix(*before, `"`), s.until[1:]
		}
		before = &s.until
	}
}

// mustCompile is compile for our own layouts.
func mustCompile(text string) *layout {
	l, err := compile(text)
	if err != nil {
		panic(err)
	}
	return l
}
