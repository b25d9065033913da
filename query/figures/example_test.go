package figures_test

import (
	"fmt"

	"github.com/footfall/footfall/query/figures"
)

func ExampleFigures_Since() {
	now, before := figures.Figures{PageViews: 30}, figures.Figures{PageViews: 20}
	change := now.Since(before).PageViews
	fmt.Println(change.Absolute, *change.Relative)
	// Output: 10 0.5
}
