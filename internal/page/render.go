package page

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"slices"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
)

//go:embed templates/*.html
var sources embed.FS

var templates = template.Must(template.New("").Funcs(functions).ParseFS(sources, "templates/*.html"))

// functions are what templates call, including methods of their data. This copy of html/template calls no methods by itself: if a program
// can call any method by its name, the linker keeps them all, which takes 8 MB.
var functions = template.FuncMap{
	"text": locale.Text, "t": locale.Say, "cells": cellsOf, "units": locale.Units,
	"style": assetPath("style"), "icon": assetPath("icon"), "script": assetPath("script"),
	"defined": links.Look.Defined, "titled": links.Look.Titled, "english": links.Look.English, "locale": links.Look.Locale,
	"address": links.Address.With, "back": FaultView.Back, "link": SiteView.Link, "trust": siteData.Trust, "recount": siteData.Recount,
	"annotated": siteData.Annotated, "moreAnnotated": siteData.MoreAnnotated, "alerted": siteData.Alerted,
	"moreAlerted": siteData.MoreAlerted, "alertMarks": siteData.AlertMarks,
	"filterSays": Filter.Says, "says": chart.GraphBucket.Says, "wrong": (*WrongField).Of, "wrongRange": (*WrongField).Range,
}

// render writes a document in the language of its look, or nothing but an error.
func render(w io.Writer, look links.Look, name string, data any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	_, err := io.WriteString(w, locale.SpelledHTML(b.String(), look.Language, words(look, name)))
	return err
}

// translated are the pages whose texts are in the language of their look. All others are in English.
var translated = []string{"site.html", "top.html", "nowpages.html", "sites.html", "fault.html"}

// words returns the language of the texts of a page.
func words(look links.Look, name string) string {
	if slices.Contains(translated, name) {
		return locale.BaseOf(look.Language)
	}
	return "en"
}
