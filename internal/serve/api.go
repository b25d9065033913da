package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// addAPI registers all operations.
func (s *server) addAPI(mux humago.Mux) huma.API {
	config := huma.Config{OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "footfall", Version: "1",
		Description: "Figures of sites, as `footfall query` prints them. docs/metrics.md defines each. docs/serve.md says who may see " +
			"what.", License: license},
		Components: &huma.Components{Schemas: newRegistry(), SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http",
			Scheme: "bearer", Description: "A token of `footfall token create`. A server on a loopback address may ask for none"}}},
		Servers:  []*huma.Server{{URL: "/"}},
		Security: []map[string][]string{{}, {"token": {}}}},
		Formats: humaFormats, DefaultFormat: "application/json"}
	a := api{humago.New(mux, config), s}
	a.UseMiddleware(addressed, checkParams(a.API))
	for _, add := range operations {
		add(a)
	}
	return a.API
}

var license = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}

// WriteOpenAPI writes the OpenAPI document of the API, as it is made from the operations.
func WriteOpenAPI(w io.Writer) error {
	compact, err := json.Marshal(new(server).addAPI(gate{http.NewServeMux(), nil}).OpenAPI())
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	_, err = indented.WriteTo(w)
	return err
}
