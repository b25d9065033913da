package locale

import (
	"strings"

	"github.com/footfall/footfall/internal/show"
)

// Numbers and dates are written with marks where languages differ, and a page gets the signs of its language for them when it is rendered.
// The marks are no characters. No text from outside can have them: [Text] spells them out.
const (
	markThousands = "\ufdd0" // between groups of three digits
	markThousand  = "\ufdd6" // the same after a single digit, where some languages have nothing
	markPoint     = "\ufdd1" // before decimal places
	markShort     = "\ufdd2" // after a shortened month
	markWeekday   = "\ufdd3" // after a shortened day of the week
	markDay       = "\ufdd4" // after the number of a day before its month
	markMonth     = "\ufdd5" // after a month
	markCountry   = "\ufdd7" // around the code of a country, in the place of its name
)

// Texts are written in English, and a page gets those of its language when it is rendered, as it gets the signs for its numbers: [Say]
// puts a mark in the place of a text, with the number that the text has among all texts, and what the text is about.
const (
	markSay    = "\ufdd8" // before the number of a text
	markAbout  = "\ufdd9" // before each thing that it is about
	markSayEnd = "\ufdda" // after all of it
)

// spelledMarks spells marks out.
var spelledMarks = strings.NewReplacer(markThousands, `\ufdd0`, markPoint, `\ufdd1`, markShort, `\ufdd2`, markWeekday, `\ufdd3`, markDay,
	`\ufdd4`, markMonth, `\ufdd5`, markThousand, `\ufdd6`, markCountry, `\ufdd7`,
	markSay, `\ufdd8`, markAbout, `\ufdd9`, markSayEnd, `\ufdda`)

// Text is what a producer or an owner wrote, with hidden characters spelled out, and what is a mark in this package.
func Text(s string) string { return spelledMarks.Replace(show.Plain(s)) }
