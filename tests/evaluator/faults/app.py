"""The product's Celery application, with every message lost or sent three times.

OHB_FAULT_MESSAGES says which: ``drop``, ``triple``, or nothing for an honest broker.
OHB_FAULT_PATROL=off leaves everything to the messages. Every stage takes long enough to
be killed in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from celery.signals import worker_init

from leaderboard.config.celery import app

__all__ = ["app"]

COPIES = {"": 1, "drop": 0, "triple": 3}[os.environ.get("OHB_FAULT_MESSAGES", "")]
STAGE_SECONDS = 0.2


def send_copies(send: Callable[..., Any]) -> Callable[..., Any]:
    def sending(*args: Any, **options: Any) -> None:
        for _ in range(COPIES):
            send(*args, **options)

    return sending


if COPIES != 1:
    app.amqp.send_task_message = send_copies(app.amqp.send_task_message)


@worker_init.connect
def slow_down(**_: Any) -> None:
    from evaluator import patrol, registration, worker

    if os.environ.get("OHB_FAULT_PATROL") == "off":
        patrol.Patrol.look_around = lambda self: registration.register()

    def slowly(handler: Callable[..., Any]) -> Callable[..., Any]:
        def run(work: Any) -> Any:
            work.stop.wait(STAGE_SECONDS)
            return handler(work)

        return run

    for stage, handler in worker.HANDLERS.items():
        worker.HANDLERS[stage] = slowly(handler)
