package produce

// What the synthetic traffic is made of. Each list begins with what is frequent.

// siteNames are the first sites; later ones are numbered. The domain .example is reserved (RFC 2606).
var siteNames = []string{"news", "shop", "docs", "blog", "games", "travel", "recipes", "music", "weather", "jobs"}

// place is where a visitor sits.
type place struct{ country, region, city string }

var places = []place{
	{"US", "California", "San Francisco"}, {"US", "New York", "New York"}, {"DE", "Berlin", "Berlin"},
	{"GB", "England", "London"}, {"FR", "Île-de-France", "Paris"}, {"IN", "Karnataka", "Bengaluru"},
	{"BR", "São Paulo", "São Paulo"}, {"JP", "Tokyo", "東京"}, {"DE", "Bayern", "München"}, {"CA", "Ontario", "Toronto"},
	{"AU", "New South Wales", "Sydney"}, {"ES", "Madrid", "Madrid"}, {"NL", "Noord-Holland", "Amsterdam"},
	{"PL", "Mazowieckie", "Warszawa"}, {"SE", "Stockholm", "Stockholm"}, {"ZA", "Gauteng", "Johannesburg"},
}

// agent is a browser; the derived fields are what a tracker would send along.
type agent struct{ userAgent, device, browser, os string }

var agents = []agent{
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36",
		"desktop", "Chrome", "Windows"},
	{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
		"mobile", "Safari", "iOS"},
	{"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36",
		"mobile", "Chrome", "Android"},
	{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
		"desktop", "Safari", "macOS"},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0", "desktop", "Firefox", "Windows"},
	{"Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "desktop", "Firefox", "Linux"},
	{"Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
		"tablet", "Safari", "iPadOS"},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0",
		"desktop", "Edge", "Windows"},
}

// arrival is how a visit came: a referrer, a campaign in the landing page's query, or neither.
type arrival struct{ referrer, query string }

var arrivals = []arrival{
	{}, // typed in, or a bookmark
	{referrer: "https://www.google.com/"},
	{},
	{referrer: "https://www.google.com/", query: "?utm_source=google&utm_medium=cpc&utm_campaign=spring"},
	{referrer: "https://news.ycombinator.com/item?id=41234567"},
	{query: "?utm_source=newsletter&utm_medium=email&utm_campaign=weekly-42&utm_content=top"},
	{referrer: "https://duckduckgo.com/"},
	{referrer: "https://t.co/8fX2kQ", query: "?utm_source=social&utm_medium=post"},
	{referrer: "https://www.bing.com/search?q=f%C3%BC%C3%9Fe"},
	{referrer: "https://partner.example/links?to=you", query: "?utm_source=partner&utm_medium=referral"},
}

// sections are the first segments of pages below the first page.
var sections = []string{"articles", "products", "guides", "tags", "über-uns"}

var clicks = []string{"menu", "cta-top", "share", "play", "newsletter", "download brochure"}

// custom are event types beyond those every site has.
var custom = []string{"search", "signup", "video_play", "add_to_cart"}
