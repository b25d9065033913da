package view

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// Screen takes the whole terminal and shows one snapshot after another until ctx ends or somebody presses q or
// Ctrl-C, and returns nil then. The terminal is as it was before when it returns. What could not be read is shown
// below the numbers, and tried again.
func Screen(ctx context.Context, o Options) error {
	p := tea.NewProgram(&screen{ctx: ctx, o: o}, tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithoutSignalHandler())
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	if _, err := p.Run(); err != nil && !errors.Is(err, tea.ErrProgramKilled) {
		return err
	}
	return nil
}

// screen is the program's model. Bubble Tea calls its methods one after another.
type screen struct {
	ctx           context.Context // of the reads; the library has no other way to hand it on
	o             Options
	width, height int
	snapshot      Snapshot
	err           error
}

// read answers a collect; due asks for the next.
type (
	read struct {
		snapshot Snapshot
		err      error
	}
	due struct{}
)

func (s *screen) Init() tea.Cmd { return s.collect }

func (s *screen) collect() tea.Msg {
	snapshot, err := s.o.Collect(s.ctx)
	return read{snapshot, err}
}

func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "ctrl+c", "esc":
			return s, tea.Quit
		}
	case read:
		if s.err = msg.err; s.err == nil {
			s.snapshot = msg.snapshot
		}
		return s, tea.Tick(s.o.Every, func(time.Time) tea.Msg { return due{} })
	case due:
		return s, s.collect
	}
	return s, nil
}

func (s *screen) View() tea.View {
	v := tea.NewView(s.text())
	v.AltScreen = true
	v.WindowTitle = "footfall"
	return v
}

var (
	titleStyle = lipgloss.NewStyle().Bold(true)
	faintStyle = lipgloss.NewStyle().Faint(true)
	errorStyle = lipgloss.NewStyle().Foreground(lipgloss.Red)
)

// text is the whole screen, cut to the window.
func (s *screen) text() string {
	lines := []string{titleStyle.Render("footfall")}
	for _, note := range s.o.Notes {
		lines = append(lines, s.wrapped(faintStyle, note)...)
	}
	lines = append(lines, "")
	foot := []string{"", faintStyle.Render("Ctrl-C or q: finish what is open, and stop")}
	if s.err != nil {
		foot[0] = errorStyle.Render(strings.ReplaceAll(s.err.Error(), "\n", "; "))
	}
	if s.snapshot.At.IsZero() {
		lines = append(lines, "waiting for the first numbers ...")
	} else {
		lines = append(lines, s.wrapped(lipgloss.NewStyle(), s.snapshot.headline())...)
		room := len(s.snapshot.Sites)
		if s.height > 0 {
			room = min(room, max(0, s.height-len(lines)-len(foot)-2)) // The table's head takes two lines.
		}
		lines = append(lines, strings.Split(s.table(room), "\n")...)
	}
	lines = append(lines, foot...)
	if s.height > 0 && len(lines) > s.height {
		lines = lines[:s.height]
	}
	if s.width > 0 {
		cut := lipgloss.NewStyle().MaxWidth(s.width)
		for i := range lines {
			lines[i] = cut.Render(lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// wrapped breaks a text between words, so that no number is cut.
func (s *screen) wrapped(style lipgloss.Style, text string) (lines []string) {
	for line := range strings.SplitSeq(wrapped(text, s.width), "\n") {
		lines = append(lines, style.Render(line))
	}
	return lines
}

// table shows the first sites, as many as there is room for.
func (s *screen) table(room int) string {
	names, rows := fit(s.snapshot.rows()[:room], s.width-2)
	t := table.New().Headers(names...).Rows(rows...).
		Border(lipgloss.NormalBorder()).BorderStyle(faintStyle).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		StyleFunc(func(row, col int) lipgloss.Style {
			style := lipgloss.NewStyle().PaddingRight(2)
			if col > 0 {
				style = style.Align(lipgloss.Right)
			}
			if row == table.HeaderRow {
				style = style.Bold(true)
			}
			return style
		})
	return t.Render()
}
