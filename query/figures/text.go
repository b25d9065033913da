package figures

import "github.com/footfall/footfall/query/internal/readable"

func (f Figures) String() string         { return readable.Text(f) }
func (c Changes) String() string         { return readable.Text(c) }
func (f FilteredFigures) String() string { return readable.Text(f) }
