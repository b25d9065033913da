package classify

import (
	"slices"
	"strings"
)

// A campaign is what decides the channel: the utm values as Source has them, whether the url has an advertiser's click,
// and the kind of the site in the referrer.
type campaign struct {
	source, medium, name string
	click                click
	referrer             kind
}

// A visit is what the rules look at, in lower case.
type visit struct {
	source, medium, campaign string
	kind                     kind // of the source
}

// resolve makes a campaign into what Google Analytics calls source and medium. A utm_source comes before the referrer.
// Without a utm_medium, a click's id stands for the medium of those who send it, and a referrer for "referral".
func (c campaign) resolve(sites *sites) visit {
	v := visit{lower(c.source), lower(c.medium), lower(c.name), c.referrer}
	if v.source != "" {
		v.kind = sites.named(v.source)
	}
	switch {
	case v.medium != "":
	case c.click == searchClick:
		v.medium = "cpc"
		if v.source == "" {
			v.kind = search
		}
	case c.click == displayClick:
		v.medium = "display"
	case v.source == "" && c.referrer != nowhere:
		v.medium = "referral"
	}
	return v
}

func lower(s string) string {
	b := []byte(s)
	lowerASCII(b)
	return string(b)
}

// A rule names a channel and when a visit belongs to it: when one of the conditions holds.
type rule struct {
	channel string
	when    []condition
}

// A condition holds when all of its fields do; an empty one always does. A word may begin or end with *, which stands
// for any text; of several words one must fit.
type condition struct {
	kind                     kind
	source, medium, campaign []string
}

var (
	paid         = []string{"*cp*", "ppc", "retargeting", "paid*"}
	mails        = []string{"email", "e-mail", "e_mail", "e mail"}
	aboutAShop   = []string{"*shopping*", "shop*", "*-shop*", "*_shop*", "* shop*", "*eshop*"}
	socialMedium = []string{"social", "social-network", "social-media", "sm", "social network", "social media"}
)

// rules are tried in this order; the first that fits decides. They are those of Google Analytics 4, "Default channel
// group", but for AI Assistants, for hosts of mail services, and for campaigns about a shop, which Google finds by an
// expression that we spell as words. docs/channels.md is written from them.
var rules = []rule{
	{"Direct", []condition{{
		source: []string{"", "direct", "(direct)"}, medium: []string{"", "(none)", "(not set)"}, campaign: []string{""}}}},
	{"Cross-network", []condition{{campaign: []string{"*cross-network*"}}}},
	{"Paid Shopping", []condition{{kind: shopping, medium: paid}, {campaign: aboutAShop, medium: paid}}},
	{"Paid Search", []condition{{kind: search, medium: paid}}},
	{"Paid Social", []condition{{kind: social, medium: paid}}},
	{"Paid Video", []condition{{kind: video, medium: paid}}},
	{"Display", []condition{{medium: []string{"display", "banner", "expandable", "interstitial", "cpm"}}}},
	{"Paid Other", []condition{{medium: paid}}},
	{"Organic Shopping", []condition{{kind: shopping}, {campaign: aboutAShop}}},
	{"Organic Social", []condition{{kind: social}, {medium: socialMedium}}},
	{"Organic Video", []condition{{kind: video}, {medium: []string{"*video*"}}}},
	{"Organic Search", []condition{{kind: search}, {medium: []string{"organic"}}}},
	{"AI Assistants", []condition{{kind: assistant}}},
	{"Email", []condition{{kind: email}, {source: mails}, {medium: mails}}},
	{"Affiliates", []condition{{medium: []string{"affiliate", "affiliates"}}}},
	{"Referral", []condition{{medium: []string{"referral", "app", "link"}}}},
	{"Audio", []condition{{medium: []string{"audio"}}}},
	{"SMS", []condition{{source: []string{"sms"}}, {medium: []string{"sms"}}}},
	{"Mobile Push Notifications", []condition{
		{source: []string{"firebase"}}, {medium: []string{"*push", "*mobile*", "*notification*"}}}},
}

// unassigned is the channel of a visit that no rule fits: it is tagged with words that nobody knows.
const unassigned = "Unassigned"

// channel returns the channel of the first rule that fits.
func (v visit) channel() string {
	for _, r := range rules {
		if slices.ContainsFunc(r.when, v.fits) {
			return r.channel
		}
	}
	return unassigned
}

func (v visit) fits(c condition) bool {
	return (c.kind == nowhere || c.kind == v.kind) &&
		fitsAny(c.source, v.source) && fitsAny(c.medium, v.medium) && fitsAny(c.campaign, v.campaign)
}

// fitsAny reports whether one of the words fits the text, or there are none.
func fitsAny(words []string, text string) bool {
	return len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return fits(word, text) })
}

func fits(word, text string) bool {
	end, anyBefore := strings.CutPrefix(word, "*")
	middle, anyAfter := strings.CutSuffix(end, "*")
	switch {
	case anyBefore && anyAfter:
		return strings.Contains(text, middle)
	case anyBefore:
		return strings.HasSuffix(text, middle)
	case anyAfter:
		return strings.HasPrefix(text, middle)
	default:
		return text == word
	}
}
