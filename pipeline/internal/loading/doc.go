// Package loading reads the states that records touch for the first time, and quarantines the parts that cannot be read.
package loading
