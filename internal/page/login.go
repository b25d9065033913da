package page

import (
	"io"

	"github.com/footfall/footfall/internal/page/links"
)

// LoginView is what the login form shows. With it a browser exchanges a token for a cookie.
type LoginView struct {
	Look     links.Look
	Next     string // the address of the page that is shown then, in ASCII
	Wrong    string // what is wrong with the token; "": nothing
	In       bool   // the browser has a token
	Needless bool   // the server asks for none
	Note     string // what the token is for
}

// Login writes the form.
func Login(w io.Writer, v LoginView) error { return render(w, v.Look, "login.html", v) }
