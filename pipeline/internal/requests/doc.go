// Package requests sends requests to the table: it retries them by package sinks/retry, limits how many are in flight, and times
// them. It also detects outages of the table and of the brokers.
package requests
