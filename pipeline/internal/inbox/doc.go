// Package inbox queues fetched records until their worker folds them. It also tracks the end of the log, the lag, and fetches that stall.
package inbox
