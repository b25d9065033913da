package classify

import (
	"fmt"
	"strings"
	"testing"
)

// The benchmarks named known ask for what is remembered, as most events do; those named new for something else each
// time, which is what a flood of forged texts costs.

func BenchmarkAgent(b *testing.B) {
	all := browsers(b)
	for name, by := range map[string]Rules{"former rules": FormerRules, "present rules": PresentRules} {
		b.Run(name+", known", func(b *testing.B) {
			c := New()
			userAgent := []byte(all[0])
			c.By(by).Agent(userAgent, nil)
			b.ReportAllocs()
			for b.Loop() {
				c.By(by).Agent(userAgent, nil)
			}
		})
		b.Run(name+", new", func(b *testing.B) {
			c := New()
			c.agents[by].size = 1
			for _, userAgent := range all { // An expression is compiled when it is first needed.
				c.By(by).Agent([]byte(userAgent), nil)
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				c.By(by).Agent([]byte(all[i%len(all)]), nil)
				i++
			}
		})
		for unitName, unit := range map[string]string{"slashes": "a/1 ", "words": "xyz ", "at signs": "@a-b"} {
			b.Run(name+", new, 256 bytes of "+unitName, func(b *testing.B) {
				c := New()
				c.agents[by].size = 1
				i := 0
				tail := strings.Repeat(unit, MaxUserAgentBytes/len(unit))
				b.ReportAllocs()
				for b.Loop() {
					c.By(by).Agent(fmt.Appendf(nil, "Mozilla/5.0 %d %s", i, tail), nil)
					i++
				}
			})
		}
	}
}

func BenchmarkSource(b *testing.B) {
	for name, url := range map[string]string{
		"no utm values": "https://shop.example/some/path/of/common/length?page=2",
		"utm values":    "https://shop.example/?utm_source=news&utm_medium=email&utm_campaign=spring+sale",
		"64 KiB":        "https://shop.example/?" + strings.Repeat("a=b&", 16<<10),
	} {
		b.Run("known, "+name, func(b *testing.B) {
			c := New()
			url, referrer := []byte(url), []byte("https://www.google.com/")
			b.ReportAllocs()
			for b.Loop() {
				c.Source(url, referrer)
			}
		})
	}
	b.Run("new", func(b *testing.B) {
		c := New()
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			url := fmt.Appendf(nil, "https://u%d.example/?utm_source=s%d&utm_medium=m%d", i, i, i)
			c.Source(url, fmt.Appendf(nil, "https://r%d.example/", i))
			i++
		}
	})
}

func BenchmarkHostname(b *testing.B) {
	c := New()
	url := []byte("https://www.shop.example/some/path/of/common/length")
	b.ReportAllocs()
	for b.Loop() {
		c.Hostname(url)
	}
}

func BenchmarkHasAgent(b *testing.B) {
	agent := []byte("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36")
	parts := []string{"acme-monitor", "probe/2"}
	b.ReportAllocs()
	for b.Loop() {
		HasAgent(agent, parts)
	}
}
