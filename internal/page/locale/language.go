package locale

import "strings"

// A language is how numbers and dates are spelled in it.
type language struct {
	thousands, thousand, point, day string
	months, short, weekdays         string // separated by blanks; weekdays from Monday on
}

const (
	englishMonths   = "January February March April May June July August September October November December"
	englishShort    = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
	englishWeekdays = "Mon Tue Wed Thu Fri Sat Sun"
)

// Spellings are those of the Unicode CLDR. All languages here write the day before the month.
var (
	english = language{",", ",", ".", "", englishMonths, englishShort, englishWeekdays}
	german  = language{".", ".", ",", ".", "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
		"Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", "Mo. Di. Mi. Do. Fr. Sa. So."}
	french = language{"\u202f", "\u202f", ",", "", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "lun. mar. mer. jeu. ven. sam. dim."}
	spanish = language{".", "", ",", "", "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago sept oct nov dic", "lun mar mié jue vie sáb dom"}
)

// languages are those by their tags, in lower case.
var languages = map[string]*strings.Replacer{
	"en": english.replacer(), "de": german.replacer(), "fr": french.replacer(), "es": spanish.replacer(),
	"de-ch": german.withPoint("’", "’").replacer(), "es-mx": spanish.withPoint(",", ",").replacer(),
	"es-us": spanish.withPoint(",", ",").replacer(), "es-419": spanish.withPoint(",", ",").replacer(),
}

// withPoint is the language with a decimal point, and these signs between thousands.
func (l language) withPoint(thousands, thousand string) language {
	l.thousands, l.thousand, l.point = thousands, thousand, "."
	return l
}

// replacer replaces marks, and the English names before them.
func (l language) replacer() *strings.Replacer {
	pairs := []string{markThousands, l.thousands, markThousand, l.thousand, markPoint, l.point, markDay, l.day}
	for _, names := range []struct{ of, is, mark string }{{englishMonths, l.months, markMonth}, {englishShort, l.short, markShort},
		{englishWeekdays, l.weekdays, markWeekday}} {
		own := strings.Fields(names.is)
		for i, name := range strings.Fields(names.of) {
			pairs = append(pairs, name+names.mark, own[i])
		}
	}
	return strings.NewReplacer(pairs...)
}

// Known returns the tag that a language is known by: its own, or that of the language without a region; "": there is none.
func Known(tag string) string {
	tag = strings.ToLower(tag)
	if _, ok := languages[tag]; ok {
		return tag
	}
	base, _, _ := strings.Cut(tag, "-")
	if _, ok := languages[base]; ok {
		return base
	}
	return ""
}

// BaseOf is the tag of a language without its region: one of those of regionNames.
func BaseOf(tag string) string {
	base, _, _ := strings.Cut(Known(tag), "-")
	if base == "" {
		return "en"
	}
	return base
}
