// Package page renders answers of package query as HTML that needs no script: the overview of sites, the page of a site, and the whole
// list of a dimension. It asks for nothing, and makes no figure: what it shows is in the answers.
//
//	page.go                  the documents and how they are rendered
//	address.go               what a page shows, as its address says it
//	figures.go, numbers.go   the figures that tiles and graphs show, and how numbers are spelled
//	graph.go, scale.go       the graph of a figure as SVG
//	lists.go                 the tables of values
//	notes.go                 what must be said about the figures
//
// Texts that producers sent are shown by [text]: escaped by html/template, and without characters that turn the direction of a line.
// There is no inline style, so a Content-Security-Policy can forbid it.
package page
