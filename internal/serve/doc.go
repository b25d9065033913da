// Package serve answers HTTP: the read API and the page of footfall serve.
//
// Figures are those of package query: an answer has the types of package query and their JSON, as footfall query --output json prints
// it. Nothing is counted or rounded here.
//
//	server.go                   the handler that holds all below
//	guard.go, headers.go        which requests are let in, and the headers of each answer
//	listen.go                   the addresses that may be listened on
//	api.go, operations.go       the API: how an operation is registered, and the list of all; each has a file of its name
//	shared.go, caching.go       identical questions share a read; ETags, and what may be cached
//	hub.go, stream.go           realtime figures as events, for all who listen
//	params.go, span.go          parameters: which there are, and how instants and periods are read
//	pages.go, page*.go          the pages; pagewrong.go: what is wrong with a form is said beside its field
//	formats.go, rows.go         JSON, CSV and NDJSON
//	problem.go, errors.go       RFC 9457 problems, and which error is which
//	registry.go                 the schemas of answers in OpenAPI
//	limits.go, meter.go         what an answer may read, and what it has read
//
// Without a keeper of tokens there is no access control: such a server is for loopback addresses only, which its callers check with
// [CheckAddress]. With one, every request for something of a site passes a decision of package access:
//
//	identify.go, login.go       who asks: a token in a header, in a cookie, or in the path of a link
//	gate.go                     what each path needs, and the decision
//	bounds.go                   the range that a credential is limited to
//	locked.go                   the filters that a credential is limited to
//	metrics.go, certificate.go  what answers cost by credential; the certificate of TLS
package serve
