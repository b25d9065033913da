// Package inbox queues fetched records until their worker folds them. It also tracks the end of the log, the lag, and fetches that stall.
//
//	inbox.go    Inbox: Enqueue, by the poll loop; Fill and Took, by the worker
//	reads.go    which fetched records follow those in the queue (Follow), while batches are streamed too
//	ends.go     where the log ends, and how far the worker is from there (Behind, Exhausted)
//	lag.go      since when the first unread record has been in the log
//	leaders.go  partitions whose leader does not answer
//	stalls.go   partitions that have unread records and deliver none
package inbox
