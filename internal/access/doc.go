// Package access decides who may read what of a table over HTTP: access tokens and share links, which the table keeps, and JSON Web Tokens,
// which products sign that show figures to their own customers.
//
//	right.go, limits.go   what a credential may allow, and what it is limited to
//	grant.go              what a credential allows, and the decision about a request
//	secret.go             how tokens are spelled
//	token.go, store.go    tokens as the table keeps them: created, listed, revoked
//	keeper.go             from a credential to its grant, with a short memory of tokens
//	embed.go, keyfile.go  JSON Web Tokens, and the keys that they are signed with
//	rate.go               how many requests a credential may make
//
// The package does not depend on HTTP. Package serve checks every request with [Grant.Check].
package access
