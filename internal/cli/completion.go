package cli

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// completionPatience is how long a shell waits for names from the table.
const completionPatience = 3 * time.Second

// completeNames has the shell complete what the command's usage calls SITE, GOAL, FUNNEL and DIMENSION, and flags for sites, owners and
// zones.
func completeNames(a *command.App, cmd *cobra.Command) {
	usage, _, _ := strings.Cut(cmd.Use, "|")
	words := strings.Fields(usage)[1:]
	if slices.Contains(words, "SITE") || slices.Contains(words, "[SITE]") {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			word := ""
			switch {
			case severalAsked(cmd) && len(args) == 0: // As in query top --all-sites DIMENSION.
				word = words[min(1, len(words)-1)]
			case len(args) < len(words):
				word = strings.Trim(words[len(args)], "[]")
			}
			return namesFor(a, cmd, word, args)
		}
	}
	flags := cmd.LocalFlags()
	for flag, word := range map[string]string{"site": "SITE", "owner": "OWNER", "tz": "ZONE", "zone": "ZONE"} {
		if flags.Lookup(flag) == nil {
			continue
		}
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag,
			func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				return namesFor(a, cmd, word, args)
			}))
	}
}

// severalAsked reports whether the command line asks about several sites.
func severalAsked(cmd *cobra.Command) bool {
	for _, flag := range []string{"all-sites", "owner"} {
		if f := cmd.Flags().Lookup(flag); f != nil && f.Changed {
			return cmd.Flags().Lookup("all-sites") != nil
		}
	}
	return false
}

// namesFor returns the names that may stand for a word of the usage, after the arguments so far. A table that does not answer has none.
func namesFor(a *command.App, cmd *cobra.Command, word string, args []string) (names []string, _ cobra.ShellCompDirective) {
	const only = cobra.ShellCompDirectiveNoFileComp
	if word == "ZONE" {
		return zoneNames(), only
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
	defer cancel()
	cmd.SetContext(ctx)
	err := connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) (err error) {
		names, err = storedNames(ctx, t.Table, word, args)
		return err
	})
	if err != nil && word != "DIMENSION" {
		cobra.CompDebugln(err.Error(), false)
		return nil, only
	}
	if word == "DIMENSION" {
		for _, d := range sketch.Dimensions() {
			names = append(names, d.String())
		}
	}
	return names, only
}

// storedNames reads names from the table; of a dimension, those of the site's properties.
func storedNames(ctx context.Context, t sinks.Table, word string, args []string) (names []string, err error) {
	r, most := query.New(t, time.Now), query.Paging{Limit: query.MaxLimit}
	switch word {
	case "SITE":
		return ask.SiteNames(ctx, r)
	case "OWNER":
		list, err := r.Sites(ctx, query.SitesParams{Paging: most})
		for _, s := range list.Sites {
			if s.Owner != "" && !slices.Contains(names, s.Owner) {
				names = append(names, s.Owner)
			}
		}
		return names, err
	case "GOAL":
		list, err := r.Goals(ctx, query.GoalsParams{Site: args[0], Paging: most})
		for _, g := range list.Goals {
			names = append(names, g.ID+"\t"+g.Name)
		}
		return names, err
	case "FUNNEL":
		list, err := r.Funnels(ctx, query.FunnelsParams{Site: args[0], Paging: most})
		for _, f := range list.Funnels {
			names = append(names, f.FunnelID+"\t"+f.Name)
		}
		return names, err
	case "SEGMENT":
		all, err := segments.All(ctx, t, segments.ListParams{Site: args[0]})
		return segments.Names(all), err
	case "DIMENSION":
		if len(args) == 0 {
			return nil, nil
		}
		a, err := r.Site(ctx, query.SiteParams{Site: args[0]})
		if a.Site != nil {
			for _, p := range a.Site.Properties {
				names = append(names, query.PropertyPrefix+p.Key)
			}
		}
		return names, err
	}
	return nil, nil
}

// zoneFolders are where systems keep the IANA database, a file a zone. The program has a copy, but no list of it.
var zoneFolders = []string{"/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"}

// zoneNames lists the names of the system's zones; only UTC if it has no list.
func zoneNames() []string {
	names := []string{"UTC"}
	for _, folder := range zoneFolders {
		_ = fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == "posix" || path == "right" {
				return fs.SkipDir // As far as the folder can be read.
			}
			if area, _, ok := strings.Cut(path, "/"); ok && !d.IsDir() && area != "Etc" && area != "SystemV" {
				names = append(names, path)
			}
			return nil
		})
		if len(names) > 1 {
			break
		}
	}
	return names
}
