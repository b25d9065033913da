// Package direct counts records into a table without brokers, owners and checkpoints, for files that are read once by one process. A
// table that it fills has the items that a pipeline makes of the same records in the same partitions, but for the realtime lane, raw and
// failed events and checkpoints: who is killed begins again with an empty table.
//
//	counter.go    Counter: the partitions of a count, and how records come to them
//	handful.go    records that are handed to a partition together
//	outcome.go    what becomes of the records
//	partition.go  the fold of a partition
//	load.go       the states that it reads
//	write.go      the writes of its steps
//	forget.go     the sessions that are let go
package direct
