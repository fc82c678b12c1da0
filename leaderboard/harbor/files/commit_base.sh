#!/bin/sh
# Makes the one commit that patches are taken against. Its id is the same everywhere.
# Usage: commit_base.sh FOLDER EXPECTED_ID
set -eu
cd "$1"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME='OpenHarmony Bench' GIT_AUTHOR_EMAIL=bench@example.invalid
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
export GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000'
git init -q
git config core.autocrlf false
git config core.fileMode true
git add -A -f
git commit -q --no-gpg-sign --cleanup=verbatim -m base
test "$(git rev-parse HEAD)" = "$2" || {
    echo "the base project is not the one of the task: $(git rev-parse HEAD)" >&2
    exit 1
}
