#!/bin/sh
# Publishes a page view and a purchase with kcat, from a shell.
#
#   apt-get install kcat
#   sh producer.sh localhost:9092 events shop.example
set -eu
brokers=$1 topic=$2 site=$3

# An event that you publish again, with the same id, counts once. jq writes texts that need escapes.
event() {
	printf '{"siteId":"%s","timestamp":%s000,"id":"%s","visitorId":"v-7f3a9c",%s}\n' \
		"$site" "$(date +%s)" "$(cat /proc/sys/kernel/random/uuid)" "$1"
}

{
	event '"type":"page_view","url":"/products/42","title":"Blue kettle"'
	event '"type":"purchase","url":"/checkout","value":39.9'
} |
	# A line is a record. Its key keeps a site, and so each session, in one partition, which other clients find by murmur2. footfall
	# counts what the log holds: the leader alone may lose a record (acks), and a request that is sent again does not write its records
	# twice (idempotence).
	kcat -P -b "$brokers" -t "$topic" -k "$site" -X partitioner=murmur2_random -X acks=all -X enable.idempotence=true
