// Package chart has the figures of a range: tiles with their changes, and the graph of one of them as SVG.
//
//	figures.go            the figures that tiles and graphs show, and how they are spelled
//	graph.go, scale.go    the graph
//	buckets.go            the hours, days and so on of a graph, and what they say
package chart
