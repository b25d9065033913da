package sinks

import "strings"

// A Template is how the partition keys, or the sort keys, of a type of item are spelled: literals and {placeholders},
// joined by "#". It is made by running the very method of [Keys] that writers call, so it cannot say anything else.
type Template string

// templateOf makes the template of what spell spells.
func templateOf(spell func(Fields) string) Template {
	segments, other := strings.Split(spell(samples[0]), "#"), strings.Split(spell(samples[1]), "#")
	for i, s := range segments {
		if s == other[i] {
			continue
		}
		name := derived
		for _, p := range placeholders {
			if p.spell(samples[0]) == s {
				name = p.Name
			}
		}
		segments[i] = "{" + name + "}"
	}
	return Template(strings.Join(segments, "#"))
}

// perPartition makes the template of an attribute's name of which an item has one for each partition.
func perPartition(name func(TP) string) string {
	return strings.Replace(name(samples[0].TP), samples[0].TP.String(), tpPlaceholder, 1)
}

const tpPlaceholder = "{tp}"

// Begins returns the part of the template that spells the beginning of a key: a prefix, or a bound, which may end in
// "~". ok is false when the template spells no key that begins so.
func (t Template) Begins(text string) (part Template, ok bool) {
	bound, open := strings.CutSuffix(text, "~")
	segments, spelled := strings.Split(string(t), "#"), strings.Split(bound, "#")
	if len(spelled) > len(segments) {
		return "", false
	}
	for i, s := range spelled {
		switch p, variable := placeholder(segments[i]); {
		case i > 0 && i == len(spelled)-1 && s == "":
			segments[i] = "" // The prefix ends with the separator.
		case variable:
			if p.read(new(Fields), s) != nil {
				return "", false
			}
		case s != segments[i]:
			return "", false
		}
	}
	part = Template(strings.Join(segments[:len(spelled)], "#"))
	if open {
		part += "~"
	}
	return part, true
}
