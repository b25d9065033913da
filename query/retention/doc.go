// Package retention says what is asked and answered about visitors who come back: how many of those who were new in a week came in later
// weeks.
package retention
