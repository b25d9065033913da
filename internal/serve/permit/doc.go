// Package permit has the rules of what an answer says to who asks: within the range and the filters of the credential, and without what
// its holder may not hear. Every answer of the API and of the page passes [Hold].
package permit
