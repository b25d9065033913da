// Package direct counts the records of files into an empty table without brokers. It writes the items and checkpoints that a pipeline
// writes for the same records in the same partitions, but for the realtime lane, raw events and failed events. A count cannot be resumed:
// if its process is killed, it starts over with an empty table.
//
//	counter.go    Counter: the partitions of a count, and how records come to them
//	handful.go    records that are handed to a partition together
//	outcome.go    what becomes of the records
//	partition.go  the fold of a partition
//	load.go       the states that it reads
//	write.go      the writes of its steps
//	forget.go     the sessions that are let go
package direct
