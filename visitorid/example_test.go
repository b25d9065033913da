package visitorid_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/footfall/footfall/visitorid"
)

// A collector counts each request under the id of its own day. The visit that a visitor began before midnight is found
// under the id of half an hour before.
func ExampleHasher() {
	var hasher visitorid.Hasher // Or Open, for salts that outlive a restart.
	visits := make(map[string]string)
	collect := func(now time.Time) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("User-Agent", "Mozilla/5.0")
		v := visitorid.Visitor{Site: "shop.example", Address: r.RemoteAddr, UserAgent: r.UserAgent()}
		id, err := hasher.ID(v, now, now)
		if err != nil {
			fmt.Println(err)
			return
		}
		before, err := hasher.ID(v, now.Add(-30*time.Minute), now)
		if err != nil {
			fmt.Println(err)
			return
		}
		visit, known := visits[before]
		if !known {
			visit = "visit of " + now.Format(time.TimeOnly)
		}
		visits[id] = visit // A real collector also ends visits.
		fmt.Println(now.Format(time.TimeOnly), len(id), "digits,", visit, "- the id of half an hour before:", id == before)
	}
	evening := time.Date(2026, 5, 12, 23, 50, 0, 0, time.UTC)
	collect(evening)
	collect(evening.Add(20 * time.Minute))
	collect(evening.Add(45 * time.Minute))
	// Output:
	// 23:50:00 32 digits, visit of 23:50:00 - the id of half an hour before: true
	// 00:10:00 32 digits, visit of 23:50:00 - the id of half an hour before: false
	// 00:35:00 32 digits, visit of 23:50:00 - the id of half an hour before: true
}

// Collectors with the same secret make the same ids, and so does a log that is read again.
func ExampleDerived() {
	hasher, err := visitorid.NewDerived([]byte("sixteen byte key")) // As from `openssl rand -hex 16`.
	if err != nil {
		fmt.Println(err)
		return
	}
	v := visitorid.Visitor{Site: "shop.example", Address: "203.0.113.9", UserAgent: "Mozilla/5.0"}
	for _, day := range []int{12, 13} {
		id, err := hasher.ID(v, time.Date(2026, 5, day, 14, 3, 7, 0, time.UTC))
		fmt.Println(day, id, err)
	}
	// Output:
	// 12 81d9163661568c249d808f95f3665745 <nil>
	// 13 2d5feeae6dde02297695f98b12f9b976 <nil>
}
