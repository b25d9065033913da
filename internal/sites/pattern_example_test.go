package sites_test

import (
	"fmt"

	"github.com/footfall/footfall/internal/sites"
)

func ExampleParsePattern() {
	p, err := sites.ParsePattern("page-prefix:/shop/")
	if err != nil {
		panic(err)
	}
	m, err := p.Compile()
	if err != nil {
		panic(err)
	}
	fmt.Println(p.JSON())
	fmt.Println(m.Matches([]byte("page_view"), nil, []byte("/shop/item")), m.Matches([]byte("click"), nil, []byte("/shop/item")))
	// Output:
	// {"on":"page","how":"prefix","text":"/shop/"}
	// true false
}
