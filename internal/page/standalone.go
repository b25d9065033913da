package page

import (
	"bytes"
	"encoding/base64"
	"regexp"
)

// What a page has that only a server answers: links, but for those within the page, scripts, forms, and what is around them.
var (
	elsewhere = regexp.MustCompile(` href="[^#"][^"]*"`)
	scripts   = regexp.MustCompile(`(?s)<script.*?</script>\n?`)
	forms     = regexp.MustCompile(`(?s)<form.*?</form>`)
	sheet     = regexp.MustCompile(`<link rel="(stylesheet|icon)"[^>]*>\n?`)
	dataAttr  = regexp.MustCompile(` data-(realtime|stream|values|values-of|copy|copied)="[^"]*"`)
)

// unanswered hides what needs a server, or is of the present, and shows all tabs of a card.
const unanswered = `
.controls, .link, .now, .links, .account, .more, .define, .choices, nav, dialog { display: none }
#goals, #funnels, #newcomers, #now, #sessions { display: none }
.panel[hidden] { display: block }
.panel + .panel::before { content: attr(data-panel); display: block; margin: 1.2rem 0 .2rem; font-weight: 600; text-transform: capitalize }
a:not([href]) { color: inherit; text-decoration: none }
`

// Standalone makes a document of a page that is complete in itself: it loads nothing, asks nothing, and has no links to other pages.
func Standalone(page []byte) []byte {
	head := `<link rel="icon" href="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString(icon) + "\">\n<style>" + string(style) +
		unanswered + "</style>\n</head>"
	for _, of := range []*regexp.Regexp{sheet, scripts, forms, elsewhere, dataAttr} {
		page = of.ReplaceAll(page, nil)
	}
	return bytes.Replace(page, []byte("</head>"), []byte(head), 1)
}
