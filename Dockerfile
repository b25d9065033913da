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
RUN go build -trimpath -ldflags='-s -w' -o /footfall ./cmd/footfall

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /footfall /footfall
EXPOSE 8080
ENTRYPOINT ["/footfall"]
CMD ["run"]
