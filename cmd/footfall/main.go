// Command footfall turns web-analytics events on a Kafka topic into exact per-site numbers in one table.
package main

import "github.com/footfall/footfall/internal/cli"

func main() { cli.Main() }
