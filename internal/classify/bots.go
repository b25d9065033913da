package classify

import (
	"encoding/json"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// bots are isbot's patterns, sorted by what it takes to look for them. They are compared with the user agent in lower
// case. Most are fixed texts; the others run in linear time, since RE2's syntax is all that Go has.
type bots struct {
	texts      words
	anywhere   []uint16 // the texts that are a bot's wherever they are
	beginnings []string
	patterns   []pattern
}

// A pattern is an expression, a text without which it finds nothing, and fixed texts one of which must not stand before
// or after what it finds. Most user agents are a browser's and have none of the texts: looking for them first is what
// makes this fast, since an expression without a fixed beginning costs some microseconds.
//
// isbot's expressions are JavaScript's and say that by (?<!a|b) at their beginning and (?!a|b) at their end, which RE2
// does not have. No other use of them is understood.
type pattern struct {
	find                *regexp.Regexp // nil: the text alone
	needs               string
	number              uint16 // of needs, if it is longer than a byte
	end                 string // the text has it at its end
	notBefore, notAfter []string
}

func readBots() *bots {
	var expressions []string
	if err := json.Unmarshal([]byte(read("bots.json")), &expressions); err != nil {
		panic("classify: bots.json: " + err.Error())
	}
	b := &bots{}
	for _, expr := range expressions {
		var p pattern
		expr, p.notBefore, p.notAfter = cutSurroundings(expr)
		parsed, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			panic(fmt.Sprintf("classify: bots.json: %q: %v", expr, err))
		}
		parsed = parsed.Simplify()
		switch {
		case p.notBefore == nil && p.notAfter == nil && parsed.Op == syntax.OpLiteral && len(parsed.Rune) > 1:
			b.anywhere = append(b.anywhere, b.texts.add(string(parsed.Rune)))
		case parsed.Op == syntax.OpConcat && len(parsed.Sub) == 2 &&
			parsed.Sub[0].Op == syntax.OpBeginText && parsed.Sub[1].Op == syntax.OpLiteral:
			b.beginnings = append(b.beginnings, string(parsed.Sub[1].Rune))
		case parsed.Op == syntax.OpLiteral:
			p.needs = string(parsed.Rune)
			b.patterns = append(b.patterns, p)
		default:
			p.find, p.needs, p.end = regexp.MustCompile(expr), needed(parsed), ending(parsed)
			b.patterns = append(b.patterns, p)
		}
	}
	for i := range b.patterns {
		if p := &b.patterns[i]; len(p.needs) > 1 {
			p.number = b.texts.add(p.needs)
		}
	}
	return b
}

// needed returns the longest fixed text that is part of whatever the expression finds, empty if it has none.
func needed(expr *syntax.Regexp) (text string) {
	switch expr.Op {
	case syntax.OpLiteral:
		return string(expr.Rune)
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, part := range expr.Sub {
			if s := needed(part); len(s) > len(text) {
				text = s
			}
		}
	}
	return text
}

// ending returns the fixed text that ends every text in which the expression finds something; "": there is none.
func ending(expr *syntax.Regexp) string {
	parts := expr.Sub
	if n := len(parts); expr.Op == syntax.OpConcat && n > 1 && parts[n-1].Op == syntax.OpEndText && parts[n-2].Op == syntax.OpLiteral {
		return string(parts[n-2].Rune)
	}
	return ""
}

// cutSurroundings takes (?<!a|b) from the beginning and (?!a|b) or (?!(?:a|b)) from the end of an expression.
func cutSurroundings(expr string) (middle string, notBefore, notAfter []string) {
	if rest, ok := strings.CutPrefix(expr, "(?<!"); ok {
		if texts, rest, ok := strings.Cut(rest, ")"); ok {
			expr, notBefore = rest, strings.Split(texts, "|")
		}
	} else if rest, ok := strings.CutPrefix(expr, "(?:^|[^"); ok && strings.HasPrefix(rest[1:], "])") {
		expr, notBefore = rest[len("x])"):], []string{rest[:1]} // Another letter or none: not this one.
	}
	if i := strings.LastIndex(expr, "(?!"); i >= 0 && strings.HasSuffix(expr, ")") {
		texts := expr[i+len("(?!") : len(expr)-1]
		if inner, ok := strings.CutPrefix(texts, "(?:"); ok {
			texts = strings.TrimSuffix(inner, ")")
		}
		expr, notAfter = expr[:i], strings.Split(texts, "|")
	}
	return expr, notBefore, notAfter
}

// match reports whether a user agent in lower case is a bot's.
func (b *bots) match(userAgent string) bool {
	found := b.texts.of(userAgent)
	if slices.ContainsFunc(b.beginnings, func(s string) bool { return strings.HasPrefix(userAgent, s) }) ||
		slices.ContainsFunc(b.anywhere, found.has) {
		return true
	}
	for i := range b.patterns {
		if p := &b.patterns[i]; (len(p.needs) < 2 || found.has(p.number)) && p.match(userAgent) {
			return true
		}
	}
	return false
}

func (p *pattern) match(text string) bool {
	if !strings.HasSuffix(text, p.end) {
		return false
	}
	first := strings.Index(text, p.needs)
	switch {
	case first < 0:
		return false
	case p.find == nil:
		for at := first; ; {
			end := at + len(p.needs)
			if p.stands(text[:at], text[end:]) {
				return true
			}
			next := strings.Index(text[end:], p.needs)
			if next < 0 {
				return false
			}
			at = end + next
		}
	case p.notBefore == nil && p.notAfter == nil:
		return p.find.MatchString(text)
	}
	for _, at := range p.find.FindAllStringIndex(text, -1) {
		if p.stands(text[:at[0]], text[at[1]:]) {
			return true
		}
	}
	return false
}

// stands reports whether what was found has none of the texts before and after it that it must not have.
func (p *pattern) stands(before, after string) bool {
	return !slices.ContainsFunc(p.notBefore, func(s string) bool { return strings.HasSuffix(before, s) }) &&
		!slices.ContainsFunc(p.notAfter, func(s string) bool { return strings.HasPrefix(after, s) })
}

// moreBots are names of programs that isbot does not have.
var moreBots = []string{"amzn-user/", "assetnote/", "miniature.io/", "360jk", "webthumbnail"}

// isBot reports whether a user agent in lower case is a bot's. The model of an Android device is left out, since there are phones
// called Spider and televisions with Google in their names.
func (l *lists) isBot(text string) bool {
	if len(text) > MaxUserAgentBytes-4 {
		text += "…" // It may have been cut: its end is none that a pattern may look for.
	}
	if from, to := modelOf(text); from < to {
		text = text[:from] + " k" + text[to:]
	}
	return l.bots.match(text) || containsAny(text, moreBots)
}
