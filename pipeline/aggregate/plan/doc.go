// Package plan describes the writes of a step: requests, the guard that makes each count once, and when items expire. A step makes
// thousands of small updates, so their attributes and bytes share larger pieces of memory.
package plan
