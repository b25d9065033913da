package classify

import "testing"

// TestHintsWinOverTheUserAgent: what a browser says in its client hints is believed rather than its frozen user agent.
func TestHintsWinOverTheUserAgent(t *testing.T) {
	const (
		phone   = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36"
		noPhone = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36"
		desk    = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36"
		inApp   = phone + " [FB_IAB/FB4A;FBAV/569.0.0.42.72;IABMV/1;]"
		brands  = `"brands":[{"brand":"Not;A=Brand","version":"99"},{"brand":"Chromium","version":"139"},`
	)
	for _, c := range []struct {
		name, userAgent, hints string
		want                   Agent
	}{
		{"no hints", phone, ``, Agent{mobile, "Chrome", "Android", false}},
		{"Chrome's", phone, brands + `{"brand":"Google Chrome","version":"139"}],"mobile":true,"platform":"Android"`,
			Agent{mobile, "Chrome", "Android", false}},
		{"a browser that calls itself Chrome", desk, brands + `{"brand":"Brave","version":"139"}],"mobile":false,"platform":"Linux"`,
			Agent{desktop, "Brave", "Linux", false}},
		{"a brand with another name here", desk, brands + `{"brand":"Microsoft Edge","version":"139"}]`, Agent{desktop, "Edge", "Linux", false}},
		{"an app's window", inApp, brands + `{"brand":"Android WebView","version":"139"}],"mobile":true,"platform":"Android"`,
			Agent{mobile, "Facebook", "Android", false}},
		{"a tablet's site asked for as on a desktop", desk, `"mobile":false,"platform":"Android","model":"SM-X910"`,
			Agent{tablet, "Chrome", "Android", false}},
		{"a phone's site asked for as on a desktop", desk, `"mobile":true,"platform":"Android","model":"Pixel 9"`,
			Agent{mobile, "Chrome", "Android", false}},
		{"a tablet that says Mobile", phone, `"mobile":true,"model":"AGS5-W09"`, Agent{tablet, "Chrome", "Android", false}},
		{"a form", phone, `"mobile":true,"platform":"Android","formFactors":["Tablet"]`, Agent{tablet, "Chrome", "Android", false}},
		{"a television", noPhone, `"mobile":false,"platform":"Android","model":"BRAVIA 4K VH2"`, Agent{tv, "Chrome", "Android", false}},
		{"Chrome OS", desk, `"mobile":false,"platform":"Chrome OS"`, Agent{desktop, "Chrome", "ChromeOS", false}},
		{"a program", desk, `"brands":[{"brand":"HeadlessChrome","version":"139"}]`, Agent{desktop, "Chrome", "Linux", true}},
		{"a brand without a name", desk, brands + `{"brand":"   ","version":"1"}]`, Agent{desktop, "Chrome", "Linux", false}},
		{"unusable", phone, `"brands":"Chrome","mobile":"yes"`, Agent{mobile, "Chrome", "Android", false}},
		{"without a user agent", "", brands + `{"brand":"Opera","version":"120"}],"mobile":false,"platform":"Windows"`,
			Agent{desktop, "Opera", "Windows", false}},
	} {
		properties := []byte(`{"plan":"pro","userAgentData":{` + c.hints + `}}`)
		if c.hints == "" {
			properties = []byte(`{"plan":"pro","nested":{"userAgentData":{"platform":"Windows"}}}`)
		}
		classifier := New()
		if got := classifier.Agent([]byte(c.userAgent), properties); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if got, want := classifier.By(FormerRules).Agent([]byte(c.userAgent), properties),
			New().By(FormerRules).Agent([]byte(c.userAgent), nil); got != want {
			t.Errorf("%s: %+v by the former rules, which read no hints, want %+v", c.name, got, want)
		}
	}
}

// TestHintsAreBounded: whatever they are, the answer is short and of the closed sets.
func TestHintsAreBounded(t *testing.T) {
	c := New()
	for _, text := range append(hostile(), "{", `{"userAgentData":`, `"userAgentData"`) {
		for _, properties := range []string{text, `{"userAgentData":` + text + `}`,
			`{"userAgentData":{"brands":[{"brand":"` + text + `"}],"platform":"` + text + `","model":"` + text + `"}}`} {
			a := c.Agent(nil, []byte(properties))
			checkText(t, a.Browser, maxNameBytes)
			checkText(t, a.OS, 16)
		}
	}
}
