// Package doctor examines an installation: the brokers, the topic, the consumer group, the checkpoints and the table. It changes nothing.
//
//	finding.go      what a check found, and the report
//	checks.go       Options, and how checks add what they found
//	exam.go         Examine: the order of the checks
//	reach.go        brokers and tables that do not answer, and what to do; the checks before a pipeline begins
//	brokers.go      versions
//	service.go      whose brokers they are, and the requests that they lack
//	topic.go        the topic and the failed-events topic: retention, replication, sizes, permissions
//	timestamps.go   the limits of records' timestamps
//	sample.go       the last records: keys, sessions in two partitions, what would be rejected
//	group.go        members, protocol, committed offsets
//	checkpoints.go  stopped partitions, records that are about to be deleted
//	table.go        shape, expiry, recovery, protection, quotas
//	permissions.go  requests to the table that change nothing
//	clock.go        this machine's clock
//
// A check asks once and says what it found. What a service does not show is a finding too, and not an error of the examination.
package doctor
