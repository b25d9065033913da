FROM golang:1.26 AS build
ARG GOPROXY=https://proxy.golang.org,direct
ENV CGO_ENABLED=0
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -ldflags='-s -w' -o /footfall ./cmd/footfall

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /footfall /footfall
EXPOSE 8080
ENTRYPOINT ["/footfall"]
CMD ["run"]
