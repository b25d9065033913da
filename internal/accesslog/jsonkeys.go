package accesslog

// jsonFormat is a format whose lines are JSON objects.
type jsonFormat struct {
	name  string
	needs []field // a line without one of them is of another format
	// keys are those of the line that are read, each under the field that it gives; of those of one field, the first that a line has.
	keys map[field][]string
}

// jsonTables are the keys of each format. A dot leads into an object, or to [0], the first element of an array.
var jsonTables = []jsonFormat{
	{"caddy", []field{status, method}, map[field][]string{instant: {"ts"}, status: {"status"}, size: {"size"},
		address: {"request.client_ip", "request.remote_ip", "request.remote_addr"}, host: {"request.host"}, method: {"request.method"},
		target: {"request.uri"}, protocol: {"request.proto"}, referrer: {"request.headers.Referer.[0]"},
		userAgent: {"request.headers.User-Agent.[0]"}}},
	{"nginx", []field{status}, map[field][]string{instant: {"time_iso8601", "msec", "time_local", "@timestamp", "timestamp", "time"},
		status: {"status"}, size: {"body_bytes_sent", "bytes_sent"}, address: {"remote_addr"},
		forwarded: {"http_x_forwarded_for", "realip_remote_addr"}, host: {"host", "http_host", "server_name"}, request: {"request"},
		method: {"request_method"}, target: {"request_uri", "uri"}, query: {"args", "query_string"}, protocol: {"server_protocol"},
		referrer: {"http_referer", "http_referrer"}, userAgent: {"http_user_agent"}}},
	{"traefik-json", []field{status}, map[field][]string{instant: {"StartUTC", "StartLocal", "time"}, status: {"DownstreamStatus"},
		size: {"DownstreamContentSize"}, address: {"ClientHost", "ClientAddr"}, host: {"RequestHost", "RequestAddr"}, method: {"RequestMethod"},
		target: {"RequestPath"}, protocol: {"RequestProtocol"}, referrer: {"request_Referer"}, userAgent: {"request_User-Agent"}}},
	{"envoy-json", []field{status}, map[field][]string{instant: {"start_time"}, status: {"response_code"}, size: {"bytes_sent"},
		forwarded: {"downstream_remote_address", "downstream_direct_remote_address"}, address: {"x_forwarded_for", "x-forwarded-for"},
		host: {"authority", ":authority"}, method: {"method"}, target: {"path", "x_envoy_original_path", "x-envoy-origin-path"},
		protocol: {"protocol"}, referrer: {"referer"}, userAgent: {"user_agent", "user-agent"}}},
	{"apigateway", []field{status}, map[field][]string{instant: {"requestTimeEpoch", "requestTime"}, status: {"status"},
		size: {"responseLength"}, address: {"ip", "sourceIp", "identity.sourceIp"}, host: {"domainName"}, method: {"httpMethod"},
		target: {"path", "resourcePath"}, protocol: {"protocol"}, referrer: {"referer"}, userAgent: {"userAgent", "identity.userAgent"}}},
	{"cloudflare", []field{status}, map[field][]string{instant: {"EdgeStartTimestamp", "EdgeEndTimestamp"}, status: {"EdgeResponseStatus"},
		size: {"EdgeResponseBytes"}, address: {"ClientIP"}, host: {"ClientRequestHost"}, method: {"ClientRequestMethod"},
		target: {"ClientRequestURI", "ClientRequestPath"}, protocol: {"ClientRequestProtocol"}, referrer: {"ClientRequestReferer"},
		userAgent: {"ClientRequestUserAgent"}}},
	{"cloudfront-json", []field{status}, map[field][]string{instant: {"timestamp(ms)", "timestamp"}, date: {"date"}, clock: {"time"},
		status: {"sc-status"}, size: {"sc-bytes"}, address: {"c-ip"}, host: {"x-host-header", "cs(Host)", "cs-host"}, method: {"cs-method"},
		target: {"cs-uri-stem"}, query: {"cs-uri-query"}, protocol: {"cs-protocol-version"}, referrer: {"cs(Referer)", "cs-referer"},
		userAgent: {"cs(User-Agent)", "cs-user-agent"}}},
	{"fastly", []field{status}, map[field][]string{instant: {"timestamp", "time_start", "time"}, status: {"response_status", "status"},
		size: {"response_body_size", "resp_body_size"}, address: {"client_ip"}, host: {"host", "request_host"},
		method: {"request_method", "method", "request"}, target: {"url", "request_url"}, protocol: {"request_protocol", "protocol"},
		referrer: {"request_referer", "referer"}, userAgent: {"request_user_agent", "user_agent"}}},
	{"vercel", []field{status}, map[field][]string{instant: {"proxy.timestamp", "timestamp"}, status: {"proxy.statusCode", "statusCode"},
		size: {"proxy.responseByteSize"}, address: {"proxy.clientIp"}, host: {"proxy.host", "host"}, method: {"proxy.method"},
		target: {"proxy.path", "path"}, referrer: {"proxy.referer"}, userAgent: {"proxy.userAgent.[0]", "proxy.userAgent"}}},
}

// jsonFormats are the formats of the tables.
func jsonFormats() (all []format) {
	for _, table := range jsonTables {
		tree := newNode()
		for f, keys := range table.keys {
			for rank, key := range keys {
				tree.add(key, f, rank)
			}
		}
		all = append(all, format{table.name, true, true, func() parser { return &jsonLines{table: table, tree: tree} }})
	}
	return all
}
