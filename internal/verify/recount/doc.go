// Package recount reads the log once more and counts it, chain by chain, as far as each has come: what every item
// must hold as of the beginning and the end of its chain's last step. It hides gaps, skipped and lost records,
// admission, and how much memory sites take.
package recount
