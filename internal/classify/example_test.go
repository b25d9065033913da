package classify_test

import (
	"fmt"

	"github.com/footfall/footfall/internal/classify"
)

func Example() {
	c := classify.New()

	s := c.Source([]byte("https://shop.example/shoes?utm_campaign=spring"), []byte("https://www.google.com/"))
	fmt.Println(s.Referrer, "|", s.Channel, "|", s.UTMCampaign)

	a := c.Agent([]byte("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 "+
		"(KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1"), nil)
	fmt.Println(a.Device, "|", a.Browser, "|", a.OS, "|", a.Bot)

	fmt.Println(c.Hostname([]byte("https://Shop.Example:8443/shoes")))
	// Output:
	// google.com | Organic Search | spring
	// mobile | Safari | iOS | false
	// shop.example
}
