#!/bin/sh
# Start one process of the Procfile in a container: "web", "worker", or any other command.
set -eu
case "$1" in
web)
    .venv/bin/python manage.py migrate --noinput
    .venv/bin/python manage.py collectstatic --noinput --verbosity 0
    ;;
worker) ;;
*) exec "$@" ;;
esac
line=$(sed -n "s/^$1: //p" Procfile)
eval "$line"
