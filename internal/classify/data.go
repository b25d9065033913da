package classify

import "embed"

//go:embed data/spammers.txt data/SearchEngines.yml data/Socials.yml data/hosts.txt data/bots.json data/agents.json
var data embed.FS

// read returns an embedded file; that one is missing is a mistake of ours.
func read(name string) string {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("classify: " + err.Error())
	}
	return string(b)
}
