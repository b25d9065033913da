package dynamo_test

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks/dynamo"
)

// A Go program reads the numbers of a table on DynamoDB. Region and credentials come from AWS's standard environment.
func Example() {
	ctx := context.Background()
	client, err := dynamo.Connect(ctx, dynamo.ConnectOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := query.New(dynamo.New(client, "footfall"), time.Now)
	answer, err := reader.Sites(ctx, query.SitesParams{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, site := range answer.Sites {
		fmt.Println(site.SiteID)
	}
}
