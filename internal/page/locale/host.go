package locale

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Host is a host as people write it: punycode is decoded, unless what it stands for may be taken for another host.
func Host(host string) string {
	if !strings.Contains(host, "xn--") {
		return Text(host)
	}
	decoded, err := idna.Display.ToUnicode(host)
	if err != nil || misleading(decoded) {
		return Text(host)
	}
	return Text(decoded)
}

// misleading reports whether letters of a decoded host may be taken for others: a label of several scripts, or of Cyrillic ones alone that
// look like Latin ones below a Latin domain. Chrome decodes by stricter rules of the same kind.
func misleading(host string) bool {
	labels := strings.Split(host, ".")
	latin := isASCII(labels[len(labels)-1])
	for _, label := range labels {
		if !isASCII(label) && (!oneScript(label) || latin && strings.Trim(label, "-0123456789"+cyrillicLookalikes) == "") {
			return true
		}
	}
	return false
}

const cyrillicLookalikes = "асԁеһіјӏорԛѕԝхуъьҽпгѵѡ"

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// togetherWritten are scripts that a language uses in one word. Latin letters are those of European languages alone: others imitate them.
var togetherWritten = append([][]*unicode.RangeTable{{unicode.Han, unicode.Hiragana, unicode.Katakana, asciiLetters},
	{unicode.Han, unicode.Hangul, asciiLetters}, {unicode.Han, unicode.Bopomofo, asciiLetters}, {latinLetters}}, singleScripts()...)

var (
	asciiLetters = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 'a', Hi: 'z', Stride: 1}}}
	latinLetters = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 'a', Hi: 'z', Stride: 1}, {Lo: 0xdf, Hi: 0x17f, Stride: 1},
		{Lo: 0x1e00, Hi: 0x1eff, Stride: 1}}}
)

// singleScripts are all others.
func singleScripts() (all [][]*unicode.RangeTable) {
	for name, script := range unicode.Scripts {
		if name != "Latin" && name != "Common" && name != "Inherited" {
			all = append(all, []*unicode.RangeTable{script})
		}
	}
	return all
}

// oneScript reports whether all letters of a label are of scripts that are written together.
func oneScript(label string) bool {
	for _, scripts := range togetherWritten {
		if strings.IndexFunc(label, func(r rune) bool {
			return r != '-' && (r < '0' || r > '9') && !unicode.In(r, scripts...)
		}) < 0 {
			return true
		}
	}
	return false
}
