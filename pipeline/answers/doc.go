// Package answers holds tests that run a pipeline and ask its table by package query: that what readers answer is what was published.
//
// Tests that read the items themselves are in package pipeline. They do not import query, so a change of query does not run them again.
package answers
