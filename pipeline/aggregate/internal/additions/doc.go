// Package additions collects what a step adds to an hour or a day: counters, conversions of its goals, and its least and greatest value.
package additions
