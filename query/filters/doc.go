// Package filters has the words of filters: their conditions, how they may be answered, and how they were. Package query answers them.
package filters
