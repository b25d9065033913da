package collect

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/footfall/footfall/internal/classify"
)

// brave are the headers that Brave sends to every server.
var brave = []string{shop, `Sec-CH-UA: "Chromium";v="139", "Not;A=Brand";v="99", "Brave";v="139"`, "Sec-CH-UA-Mobile: ?0",
	`Sec-CH-UA-Platform: "Windows"`}

const braveHints = `{"brands":[{"brand":"Chromium","version":"139"},{"brand":"Not;A=Brand","version":"99"},` +
	`{"brand":"Brave","version":"139"}],"mobile":false,"platform":"Windows"}`

// windowsChrome are those that Chrome sends.
var windowsChrome = []string{`Sec-CH-UA: "Chromium";v="139", "Not;A=Brand";v="99", "Google Chrome";v="139"`, "Sec-CH-UA-Mobile: ?0",
	`Sec-CH-UA-Platform: "Windows"`}

var chromeHints = strings.Replace(braveHints, "Brave", "Google Chrome", 1)

// agentOf is the user agent of a browser made of Chromium.
func agentOf(system, after string) string {
	return "Mozilla/5.0 (" + system + ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36" + after
}

// TestClientHintsOfHeaders: what is well-formed is published, and what is malformed costs nothing but itself.
func TestClientHintsOfHeaders(t *testing.T) {
	windows := `{"userAgentData":{"platform":"Windows"}}`
	for name, c := range map[string]struct {
		headers []string
		want    string // the properties
	}{
		"none": {nil, ""},
		"nothing that the user agent does not say": {append(windowsChrome, "User-Agent: "+agentOf("Windows NT 10.0; Win64; x64", "")), ""},
		"another platform":                         {append(windowsChrome, "User-Agent: "+agentOf("X11; Linux x86_64", "")), `{"userAgentData":` + chromeHints + `}`},
		"no user agent":                            {windowsChrome, `{"userAgentData":` + chromeHints + `}`},
		"a model of Chrome": {[]string{"User-Agent: " + agentOf("Linux; Android 10; K", ""), `Sec-CH-UA: "Google Chrome";v="139"`,
			`Sec-CH-UA-Platform: "Android"`, `Sec-CH-UA-Model: "SM-X910"`},
			`{"userAgentData":{"brands":[{"brand":"Google Chrome","version":"139"}],"platform":"Android","model":"SM-X910"}}`},
		"default": {brave[1:], `{"userAgentData":` + braveHints + `}`},
		"delegated by the page": {[]string{"Sec-CH-UA-Mobile: ?1", `Sec-CH-UA-Platform: "Android"`, `Sec-CH-UA-Platform-Version: "15.0.0"`,
			`Sec-CH-UA-Model: "SM-X910"`, `Sec-CH-UA-Form-Factors: "Tablet", "XR"`, `Sec-CH-UA-Full-Version-List: "Brave";v="139.0.1.2"`},
			`{"userAgentData":{"mobile":true,"platform":"Android","platformVersion":"15.0.0","model":"SM-X910","formFactors":["Tablet","XR"],` +
				`"fullVersionList":[{"brand":"Brave","version":"139.0.1.2"}]}}`},
		"in two fields":           {[]string{`Sec-CH-UA: "A";v="1"`, `Sec-CH-UA: "B"`}, `{"userAgentData":{"brands":[{"brand":"A","version":"1"},{"brand":"B"}]}}`},
		"escapes":                 {[]string{`Sec-CH-UA: "\"Q\\";v="8";x=?1`}, `{"userAgentData":{"brands":[{"brand":"\"Q\\","version":"8"}]}}`},
		"no texts":                {[]string{`Sec-CH-UA: Chrome;v="1"`, "Sec-CH-UA-Mobile: 1", "Sec-CH-UA-Model: 7"}, ""},
		"inner list":              {[]string{`Sec-CH-UA: ("Chrome" "A");v="1"`}, ""},
		"version that is no text": {[]string{`Sec-CH-UA: "A";v=1`}, `{"userAgentData":{"brands":[{"brand":"A"}]}}`},
		"malformed":               {[]string{`Sec-CH-UA: "Chrome`, "Sec-CH-UA-Mobile: ?2", `Sec-CH-UA-Model: "é"`, `Sec-CH-UA-Platform: "Windows"`}, windows},
		"comma at the end":        {[]string{`Sec-CH-UA: "A",`, `Sec-CH-UA-Platform: "Windows"`}, windows},
		"empty":                   {[]string{"Sec-CH-UA: ", `Sec-CH-UA-Model: ""`, `Sec-CH-UA-Platform: "Windows"`}, windows},
		"too many":                {[]string{`Sec-CH-UA: "A"` + strings.Repeat(`, "A"`, 100)}, ""},
	} {
		w := newWorld(t, nil)
		if w.ask("POST", PathBrowser, view, append([]string{shop}, c.headers...)...); string(w.last().Properties) != c.want {
			t.Errorf("%s: properties %s, want %s", name, w.last().Properties, c.want)
		}
	}
}

// TestOwnPropertiesStay: an event keeps its properties as they were sent, and its own hints.
func TestOwnPropertiesStay(t *testing.T) {
	large := `{"a":"` + strings.Repeat("b", maxPropertiesBytes-len(`{"a":"","userAgentData":}`)-len(braveHints)) + `"}`
	for sent, want := range map[string]string{
		`null`:                                 `{"userAgentData":` + braveHints + `}`,
		` { } `:                                `{"userAgentData":` + braveHints + `}`,
		`{"plan" : 1.0}`:                       `{"plan":1.0,"userAgentData":` + braveHints + `}`,
		`{"userAgentData":null}`:               `{"userAgentData":null}`,
		`{"a":{"userAgentData":1}}`:            `{"a":{"userAgentData":1},"userAgentData":` + braveHints + `}`,
		`{"user\u0041gentData":{}}`:            `{"userAgentData":{}}`,
		`[1]`:                                  `[1]`,
		large:                                  large[:len(large)-1] + `,"userAgentData":` + braveHints + `}`,
		strings.Replace(large, "b", "bbbb", 1): strings.Replace(large, "b", "bbbb", 1),
	} {
		w := newWorld(t, nil)
		w.ask("POST", PathBrowser, strings.Replace(view, "{", `{"properties":`+sent+`,`, 1), brave...)
		if got := string(w.last().Properties); got != want {
			t.Errorf("properties %.80s: published %.120s, want %.120s", sent, got, want)
		}
	}
}

// TestHintsAreOfVisitors: the pixel passes them on, and the endpoint of backends does not take those of its sender.
func TestHintsAreOfVisitors(t *testing.T) {
	w := newWorld(t, nil)
	headers := append([]string{"Referer: https://shop.example/a", "Authorization: Bearer secret"}, brave[1:]...)
	if w.ask("GET", PathPixel+"?siteId=shop.example", "", headers...); string(w.last().Properties) != `{"userAgentData":`+braveHints+`}` {
		t.Errorf("pixel: %s", w.last().Properties)
	}
	if w.ask("POST", PathBackend, `{"siteId":"blog","type":"x","id":"1","sessionId":"s"}`, headers...); w.last().SiteID != "blog" ||
		w.last().Properties != nil {
		t.Errorf("backend: %s", w.last().Properties)
	}
}

// TestNoHintsAreAskedFor: a browser says more only where the page asks for it.
func TestNoHintsAreAskedFor(t *testing.T) {
	w := newWorld(t, nil)
	for path, method := range map[string]string{PathScript: "GET", PathBrowser: "POST", PathPixel + "?siteId=shop.example": "GET"} {
		answer := w.ask(method, path, view, append([]string{"Referer: https://shop.example/a"}, brave...)...)
		for _, name := range []string{"Accept-CH", "Critical-CH"} {
			if asked := answer.Header().Get(name); answer.Code >= http.StatusBadRequest || asked != "" {
				t.Errorf("%s %s: %d, %s: %s", method, path, answer.Code, name, asked)
			}
		}
	}
}

// TestHintsNameTheBrowser: Brave has the user agent of Chrome.
func TestHintsNameTheBrowser(t *testing.T) {
	w := newWorld(t, nil)
	w.ask("POST", PathBrowser, view, shop, "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "+
		"Chrome/139.0.0.0 Safari/537.36", `Sec-CH-UA: "Brave";v="139"`, "Sec-CH-UA-Mobile: ?0", `Sec-CH-UA-Platform: "Android"`)
	e := w.last()
	want := classify.Agent{Browser: "Brave", OS: "Android", Device: "tablet"}
	if got := classify.New().Agent([]byte(e.UserAgent), e.Properties); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// FuzzHints: whatever the headers say, properties stay properties that the pipeline takes, and grow by no more than the bound.
func FuzzHints(f *testing.F) {
	f.Add(`"Chromium";v="139", "Google Chrome";v="139"`, "?1", `"Android"`, `{"plan":"pro"}`)
	f.Add(`("A" "B");v=:AA==:`, "?0;a", `"\"`, `{"userAgentData":{}}`)
	f.Add(`"A";v="1";v="2",,`, "1", "@1", ` { } `)
	f.Fuzz(func(t *testing.T, list, mobile, text, properties string) {
		headers := http.Header{}
		for name, value := range map[string]string{"Sec-CH-UA": list, "Sec-CH-UA-Full-Version-List": list, "Sec-CH-UA-Form-Factors": list,
			"Sec-CH-UA-Mobile": mobile, "Sec-CH-UA-Platform": text, "Sec-CH-UA-Model": text} {
			headers.Set(name, value)
		}
		found := clientHints(headers)
		var read hints
		if found != nil && (json.Unmarshal(found, &read, strict) != nil || len(found) > maxHintsBytes) {
			t.Fatalf("hints %s", found)
		}
		var given struct{ Properties map[string]any }
		if json.Unmarshal([]byte(`{"Properties":`+properties+`}`), &given, strict) != nil {
			return
		}
		all, err := readAll[sent]([]byte(`{"properties":` + properties + `}`))
		if err != nil {
			t.Fatal(err)
		}
		e := published{Properties: all[0].Properties}
		e.hint(found)
		var got map[string]any
		if len(e.Properties) > 0 && json.Unmarshal(e.Properties, &got, strict) != nil {
			t.Fatalf("properties %s", e.Properties)
		}
		for name, value := range given.Properties {
			if g, w := mustJSON(got[name]), mustJSON(value); g != w {
				t.Errorf("%q: %s, want %s", name, g, w)
			}
		}
		if _, ok := got["userAgentData"]; !ok && found != nil && len(e.Properties)+len(found) < maxPropertiesBytes-20 {
			t.Errorf("%s lacks the hints %s", e.Properties, found)
		}
	})
}

func mustJSON(v any) string {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestHintsLeftOutNameNothing: an event is classified as with the hints that are left out, and browsers as they come have none.
func TestHintsLeftOutNameNothing(t *testing.T) {
	systems := map[string]string{"Windows": "Windows NT 10.0; Win64; x64", "macOS": "Macintosh; Intel Mac OS X 10_15_7",
		"Linux":     "X11; Linux x86_64",
		"Chrome OS": "X11; CrOS x86_64 14541.0.0", "Android": "Linux; Android 10; K", "Unknown": "X11; FreeBSD amd64", "": "Linux; Tizen 8.0"}
	brands := map[string]string{"Google Chrome": "", "Microsoft Edge": " Edg/139.0.0.0", "Opera": " OPR/123.0.0.0", "Chromium": " (bot)",
		"Brave": " ", "HeadlessChrome": " Vivaldi/7.5", "Android WebView": " SamsungBrowser/28.0"}
	agents := []string{strings.Replace(agentOf(systems["Android"], ""), "; K)", "; K; wv)", 1)}
	for platform, system := range systems {
		for _, after := range brands {
			if agents = append(agents, agentOf(system, after)); platform == "Android" {
				agents = append(agents, strings.NewReplacer(" Safari", " Mobile Safari", "Edg/", "EdgA/").Replace(agentOf(system, after)))
			}
		}
	}
	classes := classify.New()
	for platform, system := range systems {
		for brand, after := range brands {
			for _, mobile := range []string{"?0", "?1", ""} {
				h := http.Header{"Sec-Ch-Ua": {`"Not)A;Brand";v="8", "Chromium";v="139", "` + brand + `";v="1"`},
					"Sec-Ch-Ua-Mobile": {mobile}, "Sec-Ch-Ua-Platform": {`"` + platform + `"`}}
				properties := []byte(`{"userAgentData":` + mustJSON(hintsOf(h)) + `}`)
				for _, agent := range agents {
					h.Set("User-Agent", agent)
					was, with := classes.Agent([]byte(agent), nil), classes.Agent([]byte(agent), properties)
					if clientHints(h) == nil && was != with {
						t.Errorf("%s is %+v, and with %s %+v", agent, was, properties, with)
					}
				}
				h.Set("User-Agent", agentOf(system, after))
				usual := after == "" || strings.Contains(after, "/139") || strings.Contains(after, "OPR")
				if mobile == "?0" && platform != "" && platform != "Unknown" && usual && clientHints(h) != nil {
					t.Errorf("%s keeps %s", h.Get("User-Agent"), properties)
				}
			}
		}
	}
}
