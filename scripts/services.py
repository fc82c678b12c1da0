"""honcho with more patience: a worker has to end its tools and give its leases back."""

from __future__ import annotations

from honcho import command, manager

KILL_SECONDS = 15


def main() -> None:
    # honcho has no option for it and kills after 5 seconds.
    manager.KILL_WAIT = KILL_SECONDS
    command.main()


if __name__ == "__main__":
    main()
