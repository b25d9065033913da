FROM golang:1.26 AS build
ARG GOPROXY=https://proxy.golang.org,direct
ENV CGO_ENABLED=0
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# What takes the most time to compile, in a layer of its own: after a change of the source only footfall itself is compiled.
RUN go build -trimpath net/http modernc.org/sqlite github.com/aws/aws-sdk-go-v2/config github.com/aws/aws-sdk-go-v2/service/dynamodb \
	github.com/aws/aws-sdk-go-v2/service/applicationautoscaling github.com/twmb/franz-go/pkg/kadm github.com/twmb/franz-go/pkg/kfake \
	github.com/danielgtaylor/huma/v2 github.com/prometheus/client_golang/prometheus/promhttp github.com/yuin/goldmark \
	charm.land/bubbletea/v2 charm.land/lipgloss/v2/table github.com/spf13/cobra
COPY . .
# What footfall version prints: the build has no checkout that says it.
ARG VERSION=
ARG REVISION=
RUN go build -trimpath -ldflags="-s -w -X github.com/footfall/footfall/internal/cli.imageVersion=$VERSION \
	-X github.com/footfall/footfall/internal/cli.imageRevision=$REVISION" -o /footfall ./cmd/footfall

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /footfall /footfall
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title=footfall \
	org.opencontainers.image.description="Exact web analytics from a Kafka topic" \
	org.opencontainers.image.source=https://github.com/footfall/footfall \
	org.opencontainers.image.licenses=Apache-2.0 \
	org.opencontainers.image.version=$VERSION \
	org.opencontainers.image.revision=$REVISION
EXPOSE 8080
ENV FOOTFALL_HTTP=:8080
# It asks footfall run or serve. Other commands serve nothing there: run long ones with --no-healthcheck.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["/footfall", "health"]
ENTRYPOINT ["/footfall"]
CMD ["run"]
