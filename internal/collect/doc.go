// Package collect takes events from browsers and backends over HTTP and publishes them to a Kafka topic.
//
//	browser  -> script.js, POST /hello, GET /hello.gif  ┐ origin of the site, visitor by address and user agent
//	backend  -> POST /events                            ┴ token of the site
//	  -> [Sites]       may this sender write to the site
//	  -> Event         the fields that a sender may give, and those that the collector adds
//	  -> Judge         would the pipeline accept the event
//	  -> [Queue]       acknowledged by all in-sync replicas, or 503
//
// An event is answered with 202 only when the brokers have it. With any other answer the sender may send it again under the same id: the
// pipeline counts one id once. The collector keeps nothing but events under way and the salts of visitor ids.
//
// Files: handler.go requests and answers; post.go, pixel.go what each endpoint takes; event.go the event; hints.go the browser's client
// hints; sites.go the file of sites; client.go the visitor's address and country; queue.go Kafka; salts.go visitor ids; script.go the
// script of pages.
package collect
