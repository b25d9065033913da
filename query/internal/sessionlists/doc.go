// Package sessionlists walks the lists that name sessions and conversions, and reads what they name: the index of users and goals, the
// recent sessions, and the lists by visitor.
package sessionlists
