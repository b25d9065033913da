// Package page renders answers of package query as HTML that needs no script: the overview of sites, the page of a site, the whole list
// of a dimension, sessions, and the definitions of figures. It asks for nothing, and makes no figure but changes and shares of rows: what
// it shows is in the answers. Its parts are the packages below: addresses (links), languages (locale), tiles and graphs (chart), tables of
// values (lists), and answers under filters (filtered).
//
//	render.go, assets.go      templates, styles and the script
//	view.go, site.go          the page of a site
//	cards.go, goals.go, visitors.go, annotations.go, recount.go, notes.go   what it has besides tiles and the graph
//	bar.go, wrong.go          the filters, and fields of forms that cannot be used
//	link.go                   the link to what is shown
//	top.go, columns.go, topgoals.go, nowpages.go   the whole list of a dimension, and of the pages that are viewed now
//	sessions.go, session.go   the list of sessions, and a session with its events
//	sites.go, funnels.go      the overview of sites, and a funnel
//	report.go                 the page of a site as a message
//	about.go                  the definitions of figures
//
// Texts that producers sent are shown by [locale.Text]: escaped by html/template, and without characters that turn the direction of a
// line. There is no inline style, so a Content-Security-Policy can forbid it.
package page
