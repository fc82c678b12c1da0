"""A worker's own clock: what is queued gets done though no message ever arrives.

Hints only make it quicker. Every worker process registers itself, takes back expired
leases, closes what was left open, sends what waits in the outbox, sends canaries to
paused pools, and fills its free slots with queued jobs, broker or no broker.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.db import connections

from evaluator import breaker, canary, closing, queue, registration, worker
from leaderboard import outbox

logger = logging.getLogger(__name__)

# A stopped worker waits so long for its stages to end and give their leases back.
STOP_SECONDS = 20.0


class Patrol:
    """Looks around every ``OHB_PATROL_SECONDS`` until it is stopped."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._registered = False
        self._ended = threading.Event()
        self._stop_helpers = threading.Event()
        self._threads: list[threading.Thread] = []
        # They take no slot: a slow receiver must not keep a job waiting.
        self._couriers: dict[str, threading.Thread] = {}
        self._clock = threading.Thread(target=self._run, name="patrol", daemon=True)

    def start(self) -> None:
        worker.open_slots(self._slots)
        self._clock.start()

    def stop(self) -> None:
        """Start nothing more, and wait for what runs; it has been told to drain."""
        self._ended.set()
        self._stop_helpers.set()
        self._clock.join(STOP_SECONDS)
        for thread in (*self._threads, *self._couriers.values()):
            thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while True:
            try:
                self.look_around()
            except Exception:
                # Also a database that is away: it may be back the next time.
                logger.exception("patrol")
            finally:
                connections.close_all()
            if self._ended.wait(settings.OHB_PATROL_SECONDS):
                return

    def look_around(self) -> None:
        """One round; returns at once, the work goes on in threads."""
        if not self._registered:
            registration.register()
            self._registered = True
        queue.reap()
        closing.close_left_open()
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if worker.draining.is_set():
            return
        self._send_out()
        free = self._slots - len(self._threads)
        for _ in queue.queued_ids(max(0, free)):
            self._in_thread(worker.work_unasked)
        if breaker.open_pauses().exists() and not self._is_running("canary"):
            self._in_thread(self._send_canary, name="canary")

    def _send_out(self) -> None:
        """One thread for each channel, so that slow ones hold up no other."""
        if not settings.OHB_DELIVER:
            return
        for channel in outbox.channels():
            courier = self._couriers.get(channel)
            if (courier is None or not courier.is_alive()) and outbox.is_due(channel):
                self._couriers[channel] = self._thread(
                    partial(outbox.deliver_due, [channel], stop=self._stop_helpers),
                    name=f"outbox {channel}",
                )

    def _is_running(self, name: str) -> bool:
        return any(thread.name == name for thread in self._threads)

    def _send_canary(self) -> None:
        with worker.free_slot() as free:
            if free:
                canary.send_due(settings.OHB_WORKER_POOLS, stop=self._stop_helpers)

    def _in_thread(self, act: Callable[[], object], *, name: str = "unasked") -> None:
        self._threads.append(self._thread(act, name=name))

    def _thread(self, act: Callable[[], object], *, name: str) -> threading.Thread:
        def run() -> None:
            try:
                act()
            except Exception:
                logger.exception("%s", threading.current_thread().name)
            finally:
                connections.close_all()

        thread = threading.Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread
