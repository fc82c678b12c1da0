#!/bin/sh
# Run "$@" with a Python that can set up this project: 3.11 or newer, with venv and pip.
# PYTHON=/path/to/python names one; otherwise the versions we test with come first.
set -eu

usable='import sys; sys.exit(sys.version_info < (3, 11))'
incomplete=""
for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3 python3.14 python}; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    "$candidate" -c "$usable" >/dev/null 2>&1 || continue
    if "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        exec "$candidate" "$@"
    fi
    incomplete="${incomplete:-$candidate}"
done

if [ -n "$incomplete" ]; then
    cat >&2 <<MESSAGE
$incomplete is there, but without its modules venv and ensurepip, which make environments.
  Debian, Ubuntu:  sudo apt-get install python3-venv
Then run the same command again.
MESSAGE
else
    cat >&2 <<MESSAGE
No Python 3.11 or newer was found${PYTHON:+ under PYTHON=$PYTHON}.
  Debian 12, Ubuntu 24.04:  sudo apt-get install python3 python3-venv
  macOS:                    brew install python@3.13
  elsewhere:                make PYTHON=/path/to/python3 ...
Then run the same command again.
MESSAGE
fi
exit 1
