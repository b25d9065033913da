package alerts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/near"
)

// Forms lists the conditions that Parse reads, for helps and errors.
const Forms = `silence
    COUNT drops, COUNT spikes, COUNT stops, DIMENSION surges
    COUNT < 50 % of the same hour of the last four weeks
    COUNT > 300 % of usual and at least 100
    COUNT < 10 for 6 hours`

const (
	maxWhen  = 500           // bytes of a condition
	maxBound = 1_000_000_000 // of a number in a condition
	maxHours = 24            // that a rule adds up
)

// A SyntaxError reports what is wrong in a condition, and where.
type SyntaxError struct {
	When   string
	At     int    // the character, from 1 on
	Word   string // that is wrong; "": the condition ends there
	Remedy string
}

func (e *SyntaxError) Error() string {
	word := "the end"
	if e.Word != "" {
		word = strconv.Quote(e.Word)
	}
	return fmt.Sprintf("condition %q: %s at character %d: %s", e.When, word, e.At, e.Remedy)
}

// Parse reads a condition: see Forms. Words of the language may have any case; names may not.
func Parse(when string) (Rule, error) {
	if len(when) > maxWhen || !utf8.ValidString(when) {
		return Rule{}, fmt.Errorf("condition: it has %d bytes: write at most %d of UTF-8", len(when), maxWhen)
	}
	p := parser{when: when, words: split(when)}
	r, err := p.rule()
	if err == nil && p.peek() != "" {
		err = p.wrong(`the condition is complete before it: remove the rest, or add "for N hours" or "and at least N"`)
	}
	if err != nil {
		return Rule{}, err
	}
	return r, nil
}

// A word of a condition.
type word struct {
	text   string
	at     int // its first character, from 1 on
	quoted bool
}

// split divides a condition into words. Each of < > % and , is a word of its own, and a text in double quotes is one.
func split(when string) (words []word) {
	all := []rune(when)
	for i := 0; i < len(all); {
		from := i
		switch c := all[i]; {
		case unicode.IsSpace(c):
			i++
			continue
		case strings.ContainsRune("<>%,", c):
			i++
		case c == '"':
			end := slices.Index(all[i+1:], '"')
			if end < 0 {
				end = len(all) - i - 1
			}
			words = append(words, word{string(all[i+1 : i+1+end]), from + 1, true})
			i = min(len(all), i+end+2)
			continue
		default:
			for i < len(all) && !unicode.IsSpace(all[i]) && !strings.ContainsRune(`<>%,"`, all[i]) {
				i++
			}
		}
		words = append(words, word{string(all[from:i]), from + 1, false})
	}
	return words
}

// A parser reads the words of a condition one by one.
type parser struct {
	when  string
	words []word
	next  int
}

// peek is the next word in lower case, "" at the end. A text in quotes is no word of the language.
func (p *parser) peek() string {
	if p.next == len(p.words) {
		return ""
	}
	if w := p.words[p.next]; !w.quoted {
		return strings.ToLower(w.text)
	}
	return `"`
}

// take passes the next word if it is one of those.
func (p *parser) take(any ...string) bool {
	found := p.next < len(p.words) && slices.Contains(any, p.peek())
	if found {
		p.next++
	}
	return found
}

// wrong says that the next word is wrong.
func (p *parser) wrong(remedy string) error {
	if p.next == len(p.words) {
		return &SyntaxError{p.when, utf8.RuneCountInString(p.when) + 1, "", remedy}
	}
	w := p.words[p.next]
	return &SyntaxError{p.when, w.at, w.text, remedy}
}

func (p *parser) rule() (r Rule, err error) {
	if p.take("silence") {
		return Rule{Subject: Subject{Figure: "events"}, Stops: true}, nil
	}
	if r.Subject, err = p.subject(); err != nil {
		return r, err
	}
	for _, v := range verbs {
		if p.peek() != v.word {
			continue
		}
		if r.Dimension != "" && !v.ofDimension {
			return r, p.wrong(fmt.Sprintf(`values of a dimension can only surge: write "%s surges"`, r.Dimension))
		}
		p.next++
		of := r.Subject
		r = v.rule
		r.Subject = of
		return r, nil
	}
	switch {
	case p.take(">"):
		r.Above = true
	case r.Dimension != "":
		return r, p.wrong(`a dimension is followed by surges or >, as in "referrer > 300 % of usual and at least 50"`)
	case !p.take("<"):
		return r, p.wrong(`write drops, spikes, stops, surges, < or >, as in "pageViews drops"`)
	}
	return p.bound(r)
}

func (p *parser) subject() (s Subject, err error) {
	p.take("a", "any", "the")
	if p.take("goal") {
		if p.next == len(p.words) || p.words[p.next].text == "" {
			return s, p.wrong(`name the goal by its id, as in "goal signup stops"`)
		}
		s.Goal = p.words[p.next].text
		p.next++
		return s, nil
	}
	if p.take("source") {
		return Subject{Dimension: "referrer"}, nil
	}
	if p.next == len(p.words) {
		return s, p.wrong(`name a figure, a goal or a dimension, as in "pageViews drops"`)
	}
	name := p.words[p.next].text
	counts, dimensions := Counts(), Dimensions()
	switch {
	case slices.Contains(counts, name):
		s.Figure = name
	case slices.Contains(dimensions, name):
		s.Dimension = name
	default:
		return s, p.wrong(fmt.Sprintf("%swrite one of %s; goal and its id; or one of %s", near.Hint(name, slices.Concat(counts, dimensions)),
			strings.Join(counts, ", "), strings.Join(dimensions, ", ")))
	}
	p.next++
	return s, nil
}

// bound reads what follows < or >.
func (p *parser) bound(r Rule) (Rule, error) {
	n, err := p.number("a whole number")
	if err != nil {
		return r, err
	}
	if p.take("%", "percent") {
		if r.Percent = n; n == 0 || !r.Above && n >= 100 || r.Above && n <= 100 {
			p.next -= 2
			return r, p.wrong("less than 1 to 99 % of the usual, or more than 101 %, is what a rule can be about")
		}
		if err := p.usual(); err != nil {
			return r, err
		}
	} else {
		r.Bound, r.Hours = n, 1
		if r.Dimension != "" {
			return r, p.wrong(`a dimension is compared with the usual: write "% of usual" after the number`)
		}
		if !r.Above && n == 0 {
			p.next--
			return r, p.wrong("no count is less than 0: write 1 or more")
		}
	}
	return p.options(r)
}

// usual reads what the percent are of.
func (p *parser) usual() error {
	if !p.take("of") {
		return nil
	}
	p.take("the", "its")
	if p.take("usual") {
		return nil
	}
	for _, step := range [][]string{{"same"}, {"hour"}, {"of"}, {"the"}, {"last"}, {"four", "4"}, {"weeks"}} {
		if !p.take(step...) && step[0] != "the" {
			return p.wrong(`write "usual" or "the same hour of the last four weeks"`)
		}
	}
	return nil
}

// options reads what may follow a bound.
func (p *parser) options(r Rule) (Rule, error) {
	for {
		switch {
		case p.take("for"):
			n, err := p.number("1 to 24 hours")
			if err != nil {
				return r, err
			}
			if n < 1 || n > maxHours {
				p.next--
				return r, p.wrong("write 1 to 24 hours")
			}
			if r.Hours = int(n); !p.take("hours", "hour") {
				return r, p.wrong("write hours after the number")
			}
		case p.take("and", ","):
			if !p.take(">") && (!p.take("at") || !p.take("least")) {
				return r, p.wrong(`write "at least" and a number`)
			}
			n, err := p.number("a whole number")
			if err != nil {
				return r, err
			}
			if !r.Above || r.Percent == 0 {
				p.next--
				return r, p.wrong(`"at least" belongs to rules of more than the usual: remove it`)
			}
			r.AtLeast = n
		default:
			return r, nil
		}
	}
}

func (p *parser) number(what string) (int64, error) {
	n, err := strconv.ParseUint(p.peek(), 10, 63)
	if err != nil || n > maxBound {
		return 0, p.wrong(fmt.Sprintf("write %s, at most %d", what, maxBound))
	}
	p.next++
	return int64(n), nil //nolint:gosec // At most maxBound.
}
