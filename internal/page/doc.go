// Package page renders answers of package query as HTML that needs no script: the overview of sites, the page of a site, the whole list
// of a dimension, sessions, and the definitions of figures. It asks for nothing, and makes no figure but changes and shares of rows: what
// it shows is in the answers.
//
//	page.go                  the documents and how they are rendered
//	address.go               what a page shows, as its address says it
//	figures.go, numbers.go   the figures that tiles and graphs show, and how numbers are spelled
//	graph.go, scale.go       the graph of a figure as SVG
//	link.go, wrong.go        the link to what is shown, and fields of forms that cannot be used
//	say.go, texts_*.go       texts of the page in its language; language.go has its numbers and dates, countries.go the names of countries
//	cards.go, lists.go       the tables of values, by cards with tabs
//	goals.go, now.go, visitors.go   the other cards
//	none.go                  what has no value, as a row
//	top.go, nowpages.go      the whole list of a dimension, and of the pages that are viewed now
//	sessions.go, session.go  the list of sessions, and a session with its events
//	steps.go                 the ranges before and after
//	about.go                 the definitions of figures
//	notes.go                 what must be said about the figures
//
// Texts that producers sent are shown by [text]: escaped by html/template, and without characters that turn the direction of a line.
// There is no inline style, so a Content-Security-Policy can forbid it.
package page
