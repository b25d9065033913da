package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
)

//go:embed assets/style.css
var style []byte

//go:embed assets/icon.svg
var icon []byte

// An Asset is a file that pages load. Its path names its content, so that browsers may keep it.
type Asset struct {
	Path, Type string
	Content    []byte
}

// Assets are all files that pages load.
var Assets = []Asset{asset("style", "css", "text/css; charset=utf-8", style), asset("icon", "svg", "image/svg+xml", icon)}

func asset(name, extension, contentType string, content []byte) Asset {
	sum := sha256.Sum256(content)
	return Asset{"/assets/" + name + "-" + hex.EncodeToString(sum[:6]) + "." + extension, contentType, content}
}
