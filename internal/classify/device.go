package classify

import (
	"slices"
	"strings"
	"sync"
)

// systemNames are the families of uap-core that are operating systems, with their names here. The others are makers of televisions.
var systemNames = map[string]string{
	"Android": "Android", "Chromecast Android": "Android", "Fire OS": "Android", "Chrome OS": "ChromeOS", "Chromecast Linux": "Linux",
	"Chromecast Fuchsia": "Fuchsia", "Fuchsia": "Fuchsia", "Windows": "Windows", "Windows Phone": "Windows Phone",
	"Windows Mobile": "Windows Phone", "iOS": "iOS", "Mac OS X": "macOS", "Mac OS": "macOS", "ATV OS X": "tvOS", "tvOS": "tvOS",
	"WatchOS": "watchOS", "watchOS": "watchOS", "Linux": "Linux", "FreeBSD": "FreeBSD", "OpenBSD": "OpenBSD", "NetBSD": "NetBSD",
	"Tizen": "Tizen", "webOS": "webOS", "webOS TV": "webOS", "KaiOS": "KaiOS", "HarmonyOS": "HarmonyOS", "OpenHarmony": "HarmonyOS",
	"Firefox OS": "Firefox OS", "Bada": "Bada", "Solaris": "Solaris", "Nokia Series 40": "Series 40", "Nokia Series 30 Plus": "Series 30",
	"BlackBerry OS": "BlackBerry", "BlackBerry Tablet OS": "BlackBerry", "Symbian OS": "Symbian", "Symbian^3": "Symbian",
	"Symbian^3 Anna": "Symbian", "Symbian^3 Belle": "Symbian", "Sailfish": "Sailfish", "Roku OS": "Roku", "Brew MP": "BREW", "Maemo": "Maemo",
}

// systemOf names the operating system of a family and a user agent, which is given in lower case.
func systemOf(family, text string) string {
	switch {
	case strings.Contains(text, "harmonyos"):
		return "HarmonyOS"
	case strings.Contains(text, "andr0id"): // as Opera for televisions spells it
		return "Android"
	case systemNames[family] != "":
		return systemNames[family]
	}
	for _, s := range [...]struct{ text, name string }{{"web0s", "webOS"}, {"netcast", "webOS"}, {"tizen", "Tizen"}, {"android", "Android"},
		{"roku/", "Roku"}, {"linux", "Linux"}} {
		if strings.Contains(text, s.text) {
			return s.name
		}
	}
	return ""
}

// modelOf returns where the name of an Android device is in a user agent in lower case; from = to: it has none.
func modelOf(text string) (from, to int) {
	at := strings.Index(text, "android ")
	if at < 0 || !strings.HasPrefix(text, "mozilla/5.0 (") {
		return 0, 0
	}
	next := strings.IndexAny(text[at:], ";)")
	if next < 0 || text[at+next] == ')' {
		return 0, 0
	}
	from = at + next + 1
	if language := strings.IndexByte(text[from:], ';'); language > 0 && language < 14 && text[from+3] == '-' { // " en-us"
		from += language + 1
	}
	to = len(text)
	if end := strings.IndexAny(text[from:], ";)"); end >= 0 {
		to = from + end
	}
	if build := strings.Index(text[from:to], " build/"); build >= 0 {
		to = from + build
	}
	return from, to
}

// What a user agent in lower case says about the device. Android's browsers have the word Mobile on phones and not on tablets: Google
// asks for that. Those that do not follow, and televisions, call themselves by some name.
var deviceWords = newKindWords([4][]string{
	ofConsole: {"playstation", "xbox", "nintendo", "; switch)", "switch oled", "retroid", "; rg4", "rgcube"},
	ofTV: {"smart-tv", "smarttv", "smart tv", "appletv", "googletv", "androidtv", "hbbtv", "netcast", "web0s", "tizen/tv",
		"roku", "bravia", "crkey", "viera", "aquos", "ce-html", "; aft", "(aft", "tv safari", "andr0id", " omi/",
		"mibox", "tv stick", "yndx-0007", "yndx-0008", "yndx-0009", "chromecast"},
	ofTablet: {"ipad", "tablet", "kindle", "playbook", "/apad", "mediapad", "matepad", "sm-t", "sm-x", "gt-p", "nexus 7",
		"nexus 9", "nexus 10", "lenovo tb", "; tb-", "; tb1", "; tb2", "; tb3", "rpad", "xoom"},
	ofPhone: {"midp", "symbian", "series60", "series40", "kaios", "j2me", "iemobile", "windows phone", "iphone", "ipod",
		"blackberry", "bb10", "opera mini", "mobi", "phone", "webos/", "sm-f9"},
})

// What words say, as bits of kindWords.of.
const (
	ofConsole = iota
	ofTV
	ofTablet
	ofPhone
)

// kindWords are words of several kinds that are looked for in one pass.
type kindWords struct {
	words
	kinds []uint8 // of each word, as bits
}

func newKindWords(lists [4][]string) *kindWords {
	k := &kindWords{}
	for kind, list := range lists {
		for _, word := range list {
			k.add(word)
			k.kinds = append(k.kinds, 1<<kind)
		}
	}
	return k
}

// of returns the kinds of the words that are part of the text.
func (k *kindWords) of(text string) (kinds uint8) {
	for i := 0; i+1 < len(text); i++ {
		some := k.from(text, i)
		for n := range some {
			if some[n].at(text, i) {
				kinds |= k.kinds[some[n].number]
			}
		}
	}
	return kinds
}

var desktopSystems = []string{"Windows", "macOS", "Linux", "ChromeOS", "FreeBSD", "OpenBSD", "NetBSD", "Solaris"}

// deviceOf returns the kind of device by a user agent in lower case and its operating system.
func deviceOf(text, os string) string {
	from, to := modelOf(text)
	kind := ""
	if from < to {
		kind = modelKinds().find(strings.TrimSpace(text[from:to]))
	}
	android := strings.Contains(text, "android") && strings.Contains(text, "applewebkit")
	desk := os == "Windows" || os == "macOS" || os == "ChromeOS"
	words := deviceWords.of(text)
	switch {
	case words>>ofConsole&1 != 0:
		return console
	case desk && !strings.Contains(text, "iemobile") || strings.Contains(text, "tablet pc") && !android:
		return desktop
	case words>>ofTV&1 != 0 || os == "tvOS" || ends(text, "tv", "") || hasTelevisionBuild(text) || kind == tv:
		return tv
	case words>>ofTablet&1 != 0 || ends(text, "pad", "") || ends(text, "tab", "_- ") || kind == tablet:
		return tablet
	case words>>ofPhone&1 != 0:
		return mobile
	case android:
		return tablet
	case os == "Android" || os == "iOS" || os == "Windows Phone":
		return mobile
	case slices.Contains(desktopSystems, os):
		return desktop
	}
	return ""
}

// ends reports whether a word of the text, as in a model's name, ends with the given end: no letter follows. One of the characters before
// comes before it; "": any.
func ends(text, end, before string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], end)
		if i < 0 {
			return false
		}
		from := at + i
		at = from + len(end)
		if (at == len(text) || text[at] < 'a' || text[at] > 'z') && (before == "" || from > 0 && strings.IndexByte(before, text[from-1]) >= 0) {
			return true
		}
	}
}

// hasTelevisionBuild reports whether the second letter of an Android build is T, as it is on televisions from Android 9 on.
func hasTelevisionBuild(text string) bool {
	_, build, ok := strings.Cut(text, " build/")
	return ok && len(build) > 2 && 'p' <= build[0] && build[0] <= 'u' && build[1] == 't' && strings.IndexByte("tgmk;)", build[2]) >= 0
}

// modelKinds are rules for Android models that do not say what they are, in lower case. A television has the inches of its screen before
// letters; Huawei's and Honor's tablets without a telephone have -W.
var modelKinds = sync.OnceValue(func() *families {
	return newFamilies(&words{}, [][]string{
		{`(?:^|[^0-9.])(?:24|28|32|39|40|42|43|50|55|58|60|65|70|75|85)(?:[a-z]{2,5}[-_]?[0-9]|[uf][0-9][0-9])`, tv},
		{`led[0-9][0-9]|[ _-]box\b|stb|smart box|^(?:x96|h96|tanix|ugoos|mecool|tox[0-9]|nexon|vontar|iconbit|technosat)|mxq`, tv},
		{`-w[0-9][0-9]\b`, tablet},
		{`^(?:ag[rs]|ba[hg]|db[yr]|got|jms|btk|kob|scm|cmr|mrx|vrd|wgr|bzt|jdn|mon|sht|bzk|xys|rod|gdi|ndl)[0-9]?-[al]{1,2}[0-9][0-9]`, tablet},
		{`iplay|alldocube|teclast|kids|optima|^citi 1|^eagle_[0-9]|^wo [0-9]|^rt[0-9]|^(?:8[1-4]|9[1-3])[0-9][0-9][a-z_]`, tablet},
		{`^(?:[^0-9].*)?_eea$|[ _-]t1[0-3]\b`, tablet},
	})
})
