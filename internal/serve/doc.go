// Package serve answers HTTP: the read API and the page of footfall serve.
//
// Figures are those of package query: an answer has the types of package query and their JSON, as footfall query --output json prints
// it. Nothing is counted or rounded here.
//
// What answers read is bounded, counted and shared by package reads; what they may say to whom is in package permit; package problem has
// the answers that say why there is none.
//
//	server.go, state.go         the handler that holds all below, and what its parts share
//	guard.go, headers.go        which requests are let in, and the headers of each answer
//	listen.go                   the addresses that may be listened on
//	api.go, operations.go       the API, and the list of all operations; each has a file of its name
//	question.go, asked.go       how a question is registered and answered, and what is kept of its request
//	caching.go                  ETags, and what may be cached
//	stream.go                   realtime figures as events, for all who listen
//	params.go, span.go          parameters: which there are, and how instants and periods are read
//	pages.go, page*.go          the pages; pagewrong.go: what is wrong with a form is said beside its field
//	request.go, compared.go     what a page is asked for, and what its range is compared with
//	fault.go                    the page about a problem
//	formats.go, rows.go         JSON, CSV and NDJSON
//	errors.go                   which problem an error is
//	registry.go                 the schemas of answers in OpenAPI
//
// Without a keeper of tokens there is no access control: such a server is for loopback addresses only, which its callers check with
// [CheckAddress]. With one, every request for something of a site passes a decision of package access:
//
//	identify.go, login.go       who asks: a token in a header, in a cookie, or in the path of a link
//	gate.go                     what each path needs, and the decision
//	certificate.go              the certificate of TLS
package serve
