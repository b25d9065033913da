package sites

import "strings"

// A site may be moved from one table to another, with what was counted of it. Its items keep the marks of the partitions that wrote them,
// under numbers that the new table gives to topics of these names. No topic of Kafka has such a name, so no chain meets these marks.

// MovedTopic names, in the table that a site was moved to, a topic of the table that it came from.
func MovedTopic(topic, site string) string { return topic + movedSuffix + site }

const movedSuffix = " moved with "

// IsMoved reports whether the name of a topic is one that MovedTopic has made: nothing is consumed from it, and no chain has its number.
func IsMoved(topic string) bool { return strings.Contains(topic, movedSuffix) }
