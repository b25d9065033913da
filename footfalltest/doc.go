// Package footfalltest runs footfall in a test: events go in, numbers come out. A project that publishes events checks with it that
// they are counted; one that shows numbers gets numbers to show.
//
//	func TestPageViewsAreCounted(t *testing.T) {
//		f := footfalltest.Start(t, footfalltest.Options{})
//		f.Publish(t,
//			footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", URL: "https://shop.example/"},
//			footfalltest.Event{SiteID: "shop.example", VisitorID: "v-2", URL: "https://shop.example/kettles"},
//		)
//		f.Settle(t)
//		answer, err := f.Query().Stats(t.Context(), query.StatsParams{Site: "shop.example", From: time.Now().Add(-time.Hour)})
//		if err != nil {
//			t.Fatal(err)
//		}
//		if answer.Totals.PageViews != 2 {
//			t.Errorf("%d page views, want 2", answer.Totals.PageViews)
//		}
//	}
//
// To test a producer, point it at [Footfall.Brokers] and [Footfall.Topic] in place of Publish, and look at [Footfall.Totals]
// afterwards: it says how many records were counted, and why others were rejected. A dashboard reads the table that
// [Footfall.TableURL] names.
//
// By default all parts run in the test's process: a Kafka broker, the pipeline, and a table in a SQLite file. It takes neither network nor
// Docker, and a fraction of a second. [Options] name real brokers and a DynamoDB instead, with TLS and SASL if the brokers ask for them;
// package footfalltest/containers starts both in containers. Only that package imports testcontainers.
package footfalltest
