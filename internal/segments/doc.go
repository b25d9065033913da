// Package segments keeps filters of sites under names. A segment is resolved to its conditions when a question is asked, so it decides
// nothing in the pipeline.
package segments
