// Package streaming queues records of a partition that the client of Kafka does not hand out.
//
// A batch that the client does not decompress, since it is too large or for any other reason, is fetched by itself and
// streamed into the queue of its partition: its records count as those of any other batch, without ever being in memory
// together. What cannot be read of it is rejected as a range of offsets, since it will never be read; it is what the
// producer sent. A batch whose checksum is wrong is not what the producer sent, and may be whole on another replica, or
// after a repair: it parks the partition.
//
// The client continues after the offset that a record says it has, and drops what it has passed. A broker compares offsets within a batch
// with their places only if the batch is compressed, so one record may hide others. Therefore the records must follow each other: at the
// first offset that is left out, or if the client has left the log, the batches themselves are read. An aborted transaction
// leaves offsets out as well.
//
// A rebuild may have records that the topic has lost. They are queued in the same way, before what the log has.
package streaming
