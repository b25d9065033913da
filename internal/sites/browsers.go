package sites

import "github.com/footfall/footfall/internal/classify"

// browsers are user agents of the browsers that most people have. Their versions change, what they are made of has not in ten
// years.
var browsers = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
}

// OfBrowsers returns those of a list of a site's own (Definition.UserAgents) that are in the user agent of an ordinary browser,
// so that people would be counted as bots.
func OfBrowsers(agents []string) (found []string) {
	for _, part := range agents {
		for _, browser := range browsers {
			if classify.HasAgent([]byte(browser), []string{part}) {
				found = append(found, part)
				break
			}
		}
	}
	return found
}
