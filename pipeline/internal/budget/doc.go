// Package budget limits what the partitions of a process hold in memory, all of them together.
package budget
