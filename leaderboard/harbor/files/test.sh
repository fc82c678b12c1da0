#!/bin/bash
# Builds the collected patch on a pristine base and runs the hidden checks on a device.
# Trouble of ours writes no reward: it is neither a pass nor a failure.
exec "${OHB_VERIFIER_PYTHON:-python3}" -m evaluator.harbor_verifier \
    --task /tests/task --patch /logs/artifacts/model.patch --output /logs/verifier
