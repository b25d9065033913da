// Package filtered has answers under filters as the page has those without: it can show both in the same way.
package filtered
