package collect

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// hints are what a browser says of itself in headers, as navigator.userAgentData.getHighEntropyValues spells it: see
// https://wicg.github.io/ua-client-hints/. The collector asks for none. Those beyond brands, mobile and platform come where the page asks
// for them and delegates them to the collector.
type hints struct {
	Brands          []brand  `json:"brands,omitempty"`
	Mobile          *bool    `json:"mobile,omitzero"`
	Platform        string   `json:"platform,omitzero"`
	PlatformVersion string   `json:"platformVersion,omitzero"`
	Model           string   `json:"model,omitzero"`
	FormFactors     []string `json:"formFactors,omitempty"`
	FullVersionList []brand  `json:"fullVersionList,omitempty"`
}

type brand struct {
	Brand   string `json:"brand"`
	Version string `json:"version,omitzero"`
}

// maxHintsBytes bounds the property, which each event of a request gets. Chrome's with all hints has 500 bytes.
const maxHintsBytes = 1024

// inAgents has, for brands and platforms of hints, the text by which user agents name them.
var inAgents = map[string]string{"Chromium": "Chrome/", "Google Chrome": "Chrome/", "Microsoft Edge": "Edg", "Opera": "OPR/",
	"Android WebView": "; wv", "Windows": "Windows", "macOS": "Mac OS X", "Android": "Android", "Chrome OS": "CrOS",
	"Chromium OS": "CrOS", "Linux": "X11; Linux"}

// known reports whether the hints are those that every browser made of Chromium sends, and say no more than its user agent does. Without
// them an event has 200 bytes less.
func (h *hints) known(agent string) bool {
	if len(h.Brands) == 0 || h.PlatformVersion != "" || h.Model != "" || h.FormFactors != nil || h.FullVersionList != nil ||
		h.Mobile != nil && *h.Mobile != strings.Contains(agent, "Mobile") {
		return false
	}
	said := []string{h.Platform}
	for _, b := range h.Brands {
		if !(strings.Contains(b.Brand, "Not") && strings.Contains(b.Brand, "Brand")) { // As GREASE has it.
			said = append(said, b.Brand)
		}
	}
	return !slices.ContainsFunc(said, func(name string) bool {
		in, ok := inAgents[name]
		return !ok || !strings.Contains(agent, in)
	})
}

// clientHints returns the hints in the headers of a request; nil: none, too many, or none beyond the user agent.
func clientHints(h http.Header) jsontext.Value {
	of := hintsOf(h)
	if of.known(h.Get("User-Agent")) {
		return nil
	}
	text, err := json.Marshal(of)
	if err != nil || len(text) > maxHintsBytes || len(text) == len(`{}`) {
		return nil
	}
	return text
}

// hintsOf reads headers. One that is malformed is ignored.
func hintsOf(h http.Header) hints {
	of := hints{Brands: listOf(h, "Sec-CH-UA"), Platform: textOf(h, "Sec-CH-UA-Platform"),
		PlatformVersion: textOf(h, "Sec-CH-UA-Platform-Version"), Model: textOf(h, "Sec-CH-UA-Model"),
		FullVersionList: listOf(h, "Sec-CH-UA-Full-Version-List")}
	for _, form := range listOf(h, "Sec-CH-UA-Form-Factors") {
		of.FormFactors = append(of.FormFactors, form.Brand)
	}
	if item, err := httpsfv.UnmarshalItem(h.Values("Sec-CH-UA-Mobile")); err == nil {
		if mobile, ok := item.Value.(bool); ok {
			of.Mobile = &mobile
		}
	}
	return of
}

// listOf reads a list of strings, each with its parameter v; nil if it is another list.
func listOf(h http.Header, name string) (all []brand) {
	list, err := httpsfv.UnmarshalList(h.Values(name))
	if err != nil {
		return nil
	}
	for _, member := range list {
		item, _ := member.(httpsfv.Item)
		name, ok := item.Value.(string)
		if !ok {
			return nil
		}
		v, _ := item.Params.Get("v")
		version, _ := v.(string)
		all = append(all, brand{name, version})
	}
	return all
}

// textOf reads a string; "" if it is none.
func textOf(h http.Header, name string) string {
	item, err := httpsfv.UnmarshalItem(h.Values(name))
	if err != nil {
		return ""
	}
	text, _ := item.Value.(string)
	return text
}

// hint adds hints to the properties, unless these have some, or are no object.
func (e *published) hint(hints jsontext.Value) {
	var own struct {
		Hints jsontext.Value `json:"userAgentData"`
	}
	switch kind := e.Properties.Kind(); {
	case hints == nil:
	case len(e.Properties) == 0 || kind == 'n':
		e.Properties = jsontext.Value(`{"userAgentData":` + string(hints) + `}`)
	case kind == '{' && json.Unmarshal(e.Properties, &own) == nil && own.Hints == nil:
		rest := bytes.TrimSpace(e.Properties[1 : len(e.Properties)-1])
		if len(rest) > 0 {
			rest = append(bytes.Clone(rest), ',')
		}
		if added := `{` + string(rest) + `"userAgentData":` + string(hints) + `}`; len(added) <= maxPropertiesBytes {
			e.Properties = jsontext.Value(added)
		}
	}
}

// maxPropertiesBytes is the longest text of properties that the pipeline takes: see docs/events.md.
const maxPropertiesBytes = 16 << 10
