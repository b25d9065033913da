package page

// Look is what all pages have in common.
type Look struct {
	Base    string // what the paths of links begin with, as in /share/TOKEN; "": nothing
	Theme   string // light or dark; "": as the browser is
	Account bool   // the browser has logged in, and may log out
	// Language is the tag of the language that numbers and dates are spelled in; "", and one that is not known: English.
	Language string
}

// titledLook is a Look with the title of a page.
type titledLook struct {
	Look
	Title string
}

// Titled returns the look of a page with a title.
func (l Look) Titled(title string) any { return titledLook{l, title} }
