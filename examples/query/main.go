// Query prints the last 24 hours of a site from a footfall table in a SQLite file. For a table on DynamoDB, make a client with
// dynamo.Connect and pass dynamo.New(client, name) to query.New.
//
//	go run ./examples/query -table data/footfall.db -site shop.example
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

func main() {
	path := flag.String("table", "data/footfall.db", "file of the table")
	site := flag.String("site", "shop.example", "site to ask about")
	flag.Parse()

	table, err := sqlite.Open(*path)
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	reader := query.New(table, sinks.Keys{}, time.Now)
	answer, err := reader.Stats(context.Background(), query.StatsParams{Site: *site, From: time.Now().Add(-24 * time.Hour), By: query.Hour})
	if err != nil {
		log.Fatal(err)
	}
	for _, hour := range answer.Buckets {
		fmt.Printf("%s  %6d page views  %6d sessions\n", hour.Start.Format(time.RFC3339), hour.PageViews, hour.Sessions)
	}
	fmt.Printf("total  %d page views, %d events\n", answer.Totals.PageViews, answer.Totals.Events)
}
