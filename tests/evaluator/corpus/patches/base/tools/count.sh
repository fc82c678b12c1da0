#!/bin/sh
find entry -name '*.ets' | wc -l
