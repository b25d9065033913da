package config_test

import (
	"fmt"

	"github.com/footfall/footfall/config"
)

// The environment wins over the file, and the file over the defaults.
func ExampleLoad() {
	c, err := config.Load(config.Sources{Env: []string{"FOOTFALL_KAFKA_TOPIC=clicks", "FOOTFALL_RETENTION_RAW=7d"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Kafka.Topic, c.Table, c.Retention.Raw)
	// Output: clicks dynamodb://footfall 7d
}

// An error names every mistake and its remedy.
func ExampleLoad_mistakes() {
	_, err := config.Load(config.Sources{Env: []string{"FOOTFALL_TABLE=footfall", "FOOTFALL_RETENTION_RAW=weekly"}})
	fmt.Println(err)
	// Output:
	// retention.raw (FOOTFALL_RETENTION_RAW): "weekly" is not a number of days: write it as in 30d, or never
	// table (FOOTFALL_TABLE): "footfall" is not a table: write dynamodb://NAME or sqlite://PATH
}
