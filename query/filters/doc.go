// Package filters declares filters: their conditions, how they may be answered, and the report of how they were. Package query answers
// them.
package filters
