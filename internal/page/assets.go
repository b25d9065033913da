package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

//go:embed assets/style.css
var style []byte

//go:embed assets/script.js
var script []byte

//go:embed assets/icon.svg
var icon []byte

// An Asset is a file that pages load. Its path names its content, so that browsers may keep it.
type Asset struct {
	Path, Type string
	Content    []byte
}

// Assets are all files that pages load.
var Assets = []Asset{asset("style", "css", "text/css; charset=utf-8", style),
	asset("script", "js", "text/javascript; charset=utf-8", script),
	asset("icon", "svg", "image/svg+xml", icon)}

// assetPath returns what finds the path of an asset by its name.
func assetPath(name string) func() string {
	return func() string {
		for _, a := range Assets {
			if strings.HasPrefix(a.Path, "/assets/"+name+"-") {
				return a.Path
			}
		}
		return ""
	}
}

func asset(name, extension, contentType string, content []byte) Asset {
	sum := sha256.Sum256(content)
	return Asset{"/assets/" + name + "-" + hex.EncodeToString(sum[:6]) + "." + extension, contentType, content}
}
