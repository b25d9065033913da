package classify

import (
	"encoding/json"
	"strings"
)

// hintsKey is the property with the client hints of the event's browser, as navigator.userAgentData.getHighEntropyValues returns them.
var hintsKey = []byte(`"userAgentData"`)

type hints struct {
	Brands []struct {
		Brand string `json:"brand"`
	} `json:"brands"`
	Mobile      *bool    `json:"mobile"`
	Platform    string   `json:"platform"`
	Model       string   `json:"model"`
	FormFactors []string `json:"formFactors"`
}

// withHints returns what an agent is by the hints among the properties, where they say it.
func withHints(a Agent, properties []byte) Agent {
	var of struct {
		Hints json.RawMessage `json:"userAgentData"`
	}
	var h hints
	if json.Unmarshal(properties, &of) != nil || json.Unmarshal(of.Hints, &h) != nil {
		return a
	}
	h.browser(&a)
	if name := platforms[h.Platform]; name != "" {
		a.OS = name
	}
	if device := h.device(a.OS); device != "" && a.Device != tv && a.Device != console {
		a.Device = device
	}
	return a
}

var platforms = map[string]string{"Android": "Android", "Chrome OS": "ChromeOS", "Chromium OS": "ChromeOS", "iOS": "iOS", "Linux": "Linux",
	"macOS": "macOS", "Windows": "Windows", "Fuchsia": "Fuchsia"}

// brandNames are brands whose browsers have other names here.
var brandNames = map[string]string{"Google Chrome": "Chrome", "Microsoft Edge": "Edge", "Yandex": "Yandex Browser",
	"YaBrowser": "Yandex Browser", "HuaweiBrowser": "Huawei Browser", "MiuiBrowser": "Mi Browser",
	"OperaMobile": "Opera", "Microsoft Edge WebView2": "Edge WebView2"}

// browser takes the brand that is not the engine's. Apps with a window of the system's browser have its brand, so it is their user
// agents that name them.
func (h *hints) browser(a *Agent) {
	for _, b := range h.Brands {
		name := strings.TrimSpace(string(appendText(nil, []byte(b.Brand), maxNameBytes)))
		switch {
		case name == "HeadlessChrome":
			a.Bot = true
		case name == "" || name == "Chromium" || strings.Contains(name, "Not") && strings.Contains(name, "Brand"): // as GREASE has it
		case name == "Google Chrome" || name == "Android WebView":
			if a.Browser == "" {
				a.Browser = brandNames[name]
			}
		default:
			if a.Browser = name; brandNames[name] != "" {
				a.Browser = brandNames[name]
			}
		}
	}
}

// device returns the kind of device that the hints say; "": none.
func (h *hints) device(os string) string {
	for _, form := range h.FormFactors {
		switch form {
		case "Tablet":
			return tablet
		case "Mobile":
			return mobile
		case "Desktop":
			return desktop
		}
	}
	model := lower(string(appendText(nil, []byte(h.Model), maxNameBytes)))
	kind, words := modelKinds().find(model), deviceWords.of("; "+model)
	switch {
	case kind == tv || words>>ofTV&1 != 0 || ends(model, "tv", ""):
		return tv
	case kind == tablet || words>>ofTablet&1 != 0 || h.Mobile != nil && !*h.Mobile && os == "Android":
		return tablet
	case h.Mobile == nil:
		return ""
	case *h.Mobile:
		return mobile
	}
	return desktop
}
