// Package links has the addresses of pages: what a page shows is in its [Address], and each link is an address with something changed.
//
//	links.go        an address, its paths and parameters, and the choices that a page offers
//	params.go       the parameters of filters
//	conditions.go   filters in addresses
//	back.go         what a list of sessions leads back to
//	steps.go        the ranges before and after
//	paths.go        the page of paths
//	dots.go         ids in paths
//	look.go         what all pages have in common
package links
