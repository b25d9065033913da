// Query prints the page views of a site by day from a footfall table in a SQLite file. For a table on DynamoDB, make a client with
// dynamo.Connect and pass dynamo.New(client, name) to query.New.
//
//	go run ./examples/query data/footfall.db shop.example
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks/sqlite"
)

func main() {
	table, err := sqlite.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	reader := query.New(table, time.Now)
	week := query.StatsParams{Site: os.Args[2], From: time.Now().AddDate(0, 0, -7), By: query.Day}
	answer, err := reader.Stats(context.Background(), week)
	if err != nil {
		log.Fatal(err)
	}
	for _, day := range answer.Buckets {
		fmt.Println(day.Start.Format(time.DateOnly), day.PageViews)
	}
	fmt.Printf("%+v\n", answer.Totals)
}
