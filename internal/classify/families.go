package classify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// families are ordered rules, as uap-core has them: the first whose expression finds something names the family. A rule is tried only where
// all texts that its expression cannot do without are in the user agent, which one pass over it finds out for all rules.
type families struct {
	rules   []family
	texts   *words
	by      [][]uint16 // the rules of whose first set each text is
	without []uint16   // the rules that need none
}

// A family is a rule. Its expression is compiled when it is first tried, which most never are.
type family struct {
	find  func() *regexp.Regexp
	name  string     // $1 in it is what the first group has found
	needs [][]uint16 // of each set one text must be there
	begin []string   // what it finds begins with one of many texts; nil: with few or others
}

// shorter is for expressions with gaps that no user agent exceeds: a bound takes hundreds of states.
var shorter = strings.NewReplacer(".{0,300}", ".*", ".{1,300}", ".+")

// agentFamilies are the families of browsers and of operating systems, which share their texts. They are read when the present rules are
// first asked.
var agentFamilies = sync.OnceValues(func() (browsers, systems *families) {
	var lists struct{ Browsers, Systems [][]string }
	if err := json.Unmarshal([]byte(read("agents.json")), &lists); err != nil {
		panic("classify: agents.json: " + err.Error())
	}
	texts := &words{}
	return newFamilies(texts, append(inApps, lists.Browsers...)), newFamilies(texts, lists.Systems)
})

func newFamilies(texts *words, list [][]string) *families {
	f := &families{rules: make([]family, len(list)), texts: texts}
	for i, rule := range list {
		expr := shorter.Replace(rule[0])
		parsed, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			panic(fmt.Sprintf("classify: agents.json: %q: %v", rule[0], err))
		}
		expr = trimmed(parsed).String()
		r := family{find: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }), name: "$1"}
		if len(rule) > 1 {
			r.name = rule[1]
		}
		if begin := beginnings(parsed); len(begin) > 8 {
			r.begin = begin
		}
		sets := required(parsed.Simplify())
		slices.SortStableFunc(sets, func(a, b []string) int { return cmp.Compare(shortest(b), shortest(a)) }) // The rarest first.
		for _, set := range sets {
			var needs []uint16
			for _, text := range set {
				needs = append(needs, texts.add(text))
			}
			r.needs = append(r.needs, needs)
		}
		if f.rules[i] = r; r.needs == nil {
			f.without = append(f.without, uint16(i))
		}
	}
	f.by = make([][]uint16, len(texts.numbers))
	for i, r := range f.rules {
		if r.needs != nil {
			for _, text := range r.needs[0] {
				f.by[text] = append(f.by[text], uint16(i))
			}
		}
	}
	return f
}

// trimmed leaves out of an expression what can be empty at its end, as versions after the first are: it decides neither whether there is a
// match nor what the first group finds.
func trimmed(expr *syntax.Regexp) *syntax.Regexp {
	for expr.Op == syntax.OpConcat && len(expr.Sub) > 2 {
		last := expr.Sub[len(expr.Sub)-1]
		if last.Op == syntax.OpCapture && last.Cap > 1 {
			last = last.Sub[0]
		}
		switch {
		case last.Op == syntax.OpPlus:
			expr.Sub[len(expr.Sub)-1] = last.Sub[0]
			return expr
		case last.Op == syntax.OpAlternate && slices.ContainsFunc(last.Sub, empty):
		case last.Op != syntax.OpQuest && last.Op != syntax.OpStar:
			return expr
		}
		expr.Sub = expr.Sub[:len(expr.Sub)-1]
	}
	return expr
}

func empty(expr *syntax.Regexp) bool { return expr.Op == syntax.OpEmptyMatch }

// beginnings returns texts with one of which all begins that the expression finds; nil: there are too many.
func beginnings(expr *syntax.Regexp) []string {
	if expr.Op != syntax.OpConcat {
		return nil
	}
	first := expr.Sub[0]
	if first.Op == syntax.OpWordBoundary {
		first = expr.Sub[1]
	}
	return choice(first)
}

// required returns sets of texts: whatever the expression finds contains one of each set.
func required(expr *syntax.Regexp) (sets [][]string) {
	switch expr.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return required(expr.Sub[0])
	case syntax.OpConcat:
		run := []string{""} // what the parts so far have found, of those that are a choice of texts
		for _, part := range expr.Sub {
			of := choice(part)
			if of != nil && len(run)*len(of) <= maxChoice {
				run = joined(run, of)
				continue
			}
			sets = append(sets, usable(run)...)
			if run = of; of == nil {
				run = []string{""}
				sets = append(sets, required(part)...)
			}
		}
		return append(sets, usable(run)...)
	case syntax.OpAlternate:
		var any []string
		for _, part := range expr.Sub {
			of := longest(required(part))
			if of == nil {
				return nil
			}
			any = append(any, of...)
		}
		return [][]string{any}
	}
	return usable(choice(expr))
}

// maxChoice is how many texts a set has at most.
const maxChoice = 256

// choice returns all texts that the expression finds; nil: too many.
func choice(expr *syntax.Regexp) (texts []string) {
	switch expr.Op {
	case syntax.OpLiteral:
		if expr.Flags&syntax.FoldCase == 0 {
			return []string{string(expr.Rune)}
		}
		texts = []string{""}
		for _, r := range expr.Rune { // [Ss][Pp][Ii] is spelled so, too.
			if texts = joined(texts, []string{strings.ToLower(string(r)), strings.ToUpper(string(r))}); len(texts) > maxChoice {
				return nil
			}
		}
		return texts
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary:
		return []string{""}
	case syntax.OpCapture:
		return choice(expr.Sub[0])
	case syntax.OpQuest:
		if of := choice(expr.Sub[0]); of != nil {
			return append(of, "")
		}
	case syntax.OpCharClass:
		for i := 0; i < len(expr.Rune); i += 2 {
			for r := expr.Rune[i]; r <= expr.Rune[i+1]; r++ {
				if texts = append(texts, string(r)); len(texts) > 8 {
					return nil
				}
			}
		}
		return texts
	case syntax.OpAlternate:
		for _, part := range expr.Sub {
			of := choice(part)
			if of == nil || len(texts)+len(of) > maxChoice {
				return nil
			}
			texts = append(texts, of...)
		}
		return texts
	case syntax.OpConcat:
		texts = []string{""}
		for _, part := range expr.Sub {
			of := choice(part)
			if of == nil || len(texts)*len(of) > maxChoice {
				return nil
			}
			texts = joined(texts, of)
		}
		return texts
	}
	return nil
}

func joined(first, second []string) (texts []string) {
	for _, a := range first {
		for _, b := range second {
			texts = append(texts, a+b)
		}
	}
	return texts
}

// usable returns the set if its texts can be looked for.
func usable(set []string) [][]string {
	if len(set) == 0 || slices.ContainsFunc(set, func(text string) bool { return len(text) < 2 }) {
		return nil
	}
	return [][]string{set}
}

// longest returns the set whose shortest text is the longest.
func longest(sets [][]string) []string {
	if len(sets) == 0 {
		return nil
	}
	return slices.MaxFunc(sets, func(a, b []string) int { return cmp.Compare(shortest(a), shortest(b)) })
}

// shortest is the length of the shortest text of a set.
func shortest(set []string) int {
	return len(slices.MinFunc(set, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}

// find returns the family of a user agent; "": none.
func (f *families) find(userAgent string) string { return f.findWith(userAgent, f.texts.of(userAgent)) }

// findWith is find when it is known which texts the user agent has.
func (f *families) findWith(userAgent string, found bitset) string {
	try := make(bitset, len(f.rules)/64+1)
	for _, i := range f.without {
		try.add(i)
	}
	for k, word := range found {
		for ; word != 0; word &= word - 1 {
			if text := 64*k + bits.TrailingZeros64(word); text < len(f.by) {
				for _, i := range f.by[text] {
					try.add(i)
				}
			}
		}
	}
	for k, word := range try {
		for ; word != 0; word &= word - 1 {
			r := &f.rules[64*k+bits.TrailingZeros64(word)]
			if !r.possible(found) {
				continue
			}
			if name, ok := r.match(userAgent); ok {
				return name
			}
		}
	}
	return ""
}

func (r *family) possible(found bitset) bool {
next:
	for _, set := range r.needs {
		for _, bit := range set {
			if found.has(bit) {
				continue next
			}
		}
		return false
	}
	return true
}

func (r *family) match(userAgent string) (name string, ok bool) {
	if r.begin != nil { // An expression with a choice of many texts is slow where none of them is.
		from := len(userAgent)
		for _, text := range r.begin {
			if i := strings.Index(userAgent[:min(len(userAgent), from+len(text))], text); i >= 0 {
				from = i
			}
		}
		userAgent = userAgent[max(0, from-1):] // The letter before it decides whether a word begins.
	}
	if !strings.Contains(r.name, "$1") {
		return r.name, r.find().MatchString(userAgent)
	}
	at := r.find().FindStringSubmatchIndex(userAgent)
	if len(at) < 4 || at[2] < 0 {
		return "", at != nil
	}
	return strings.Replace(r.name, "$1", userAgent[at[2]:at[3]], 1), true
}
