// Package readable formats values and texts for debugging and for errors.
package readable
