# `make` lists the targets. Docker is needed for chaos, up and down; for all others Go is enough.

ARGS ?=
FUZZTIME ?= 30s
SEEDS ?= 200
PKGS ?= ./...
RUN ?=
# Tests are linked without debug and symbol tables, which takes a third less time. RUN has flags of internal/testrun.
TEST = go run ./internal/testrun $(RUN)
GOTEST = -timeout 60m -vet=off -ldflags=-s $(ARGS) $(PKGS)

# The product is pure Go, and so is what is compiled for its tests.
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help
.PHONY: help run build test test-all lint script fuzz sim mutants chaos up down tag release

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## everything on this machine with synthetic traffic; ARGS="--rate 1000 --data /tmp/demo"
	./bin/footfall dev $(ARGS)

build: ## bin/footfall
	@mkdir -p bin
	@echo 'Compiling bin/footfall: minutes the first time, when its modules are loaded and compiled, seconds later.'
	go build -buildvcs=auto -o bin/footfall ./cmd/footfall

test: ## what a change could break; on real Kafka and DynamoDB Local as well where Docker answers
	$(TEST) -- $(GOTEST)

test-all: ## all tests: also those that measure, compare for minutes, or kill processes on real services
	$(TEST) -all -- -count=1 -p 1 $(GOTEST)

lint: ## formatting, and the linters of .golangci.yml, go vet and staticcheck among them
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w:" $$unformatted; exit 1; }
	go tool -modfile=tools/go.mod golangci-lint run --timeout 20m $(PKGS)

MINIFIED ?= internal/collect/script.min.js
script: ## the script of pages, minified
	go tool -modfile=tools/go.mod esbuild --minify --target=es2020 --log-level=warning internal/collect/script.js >$(MINIFIED)

fuzz: ## every fuzz target for FUZZTIME each
	@for pkg in $$(go list $(PKGS)); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

sim: ## simulated faults on a fake clock, SEEDS=200 of them; one again: ARGS="-seed 7 -v"
	go -C pipeline/simulation test -count=1 -timeout 12h -run '^TestSimulation$$' -seeds $(SEEDS) $(ARGS)

mutants: ## plant bugs, one at a time; fail if the test that each names does not notice it; ARGS="-bug PATTERN -seeds 150"
	go run ./internal/plant $(ARGS)

chaos: ## kill, stop and cut off processes under load; ARGS="-run Consumer/real -chaos.events kill=100,stop=30 -chaos.rate 2000"
	FOOTFALL_TEST_REQUIRE_DOCKER=1 FOOTFALL_TEST_ALL=1 go test -count=1 -timeout 3h -v -run 'TestChaos' ./e2e $(ARGS)

up: ## Kafka, DynamoDB Local, footfall and a producer in containers
	docker compose up --build --detach --wait
	@echo 'Numbers: docker compose exec footfall /footfall query sites'

down: ## stop the containers and delete what they hold
	docker compose down --volumes --remove-orphans

tag: ## make the tags of the releases that the file releases lists
	@awk '!/^#/ {print "v" $$1, $$2}' releases | while read -r tag commit; do git tag --force "$$tag" "$$commit"; done

release: ## binaries, checksums, bills of materials and image of a release, into dist/; VERSION=0.1.0
	scripts/release $(VERSION)
