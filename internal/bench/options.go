package main

import "time"

// options are the command's flags.
type options struct {
	parts   []string
	records int
	rounds  int
	sites   []int
	writes  int
	span    time.Duration
	data    string
	profile string
	allocs  string
}
