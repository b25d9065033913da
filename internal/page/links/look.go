package links

import (
	"github.com/footfall/footfall/internal/page/locale"
)

// Look is what all pages have in common.
type Look struct {
	Base    string // what the paths of links begin with, as in /share/TOKEN; "": nothing
	Theme   string // light or dark; "": as the browser is
	Account bool   // the browser has logged in, and may log out
	// Language is the tag of the language of texts, numbers and dates; "", and one that is not known: English.
	Language string
}

// TitledLook is a Look with the title of a page.
type TitledLook struct {
	Look
	Title string
	Lang  string // of its texts
}

// Titled returns the look of a page with a title, whose texts are in the language of the look.
func (l Look) Titled(title string) TitledLook { return TitledLook{l, title, locale.BaseOf(l.Language)} }

// English returns the look of a page with a title, whose texts are in English.
func (l Look) English(title string) TitledLook { return TitledLook{l, title, "en"} }

// Locale is the tag of the language in which the page has numbers and dates, if it is another than English.
func (l Look) Locale() string {
	if tag := locale.Known(l.Language); tag != "en" {
		return tag
	}
	return ""
}

// AboutPath is the path of the page that defines each figure.
const AboutPath = "/about/metrics"

// Defined is the address of the definition of a figure.
func (l Look) Defined(figure string) string { return l.Base + AboutPath + "#" + figure }
