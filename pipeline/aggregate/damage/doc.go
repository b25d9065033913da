// Package damage finds parts of items that cannot be read (a missing attribute, one of another kind, bytes that do not decode), and what
// replaces them.
package damage
