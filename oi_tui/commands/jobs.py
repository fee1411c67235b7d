"""Commands about what blocks left running in the background: see it, stop it."""

from __future__ import annotations

from oi_tui.commands.base import Argument, Command, CommandError, Host


async def _jobs(host: Host, wanted: str) -> None:
    if wanted == "all":
        for one in host.session.jobs():
            await host.session.stop_job(one.id)
        host.notify("stopped all that ran in the background")
        return
    if wanted:
        stopped = await host.session.stop_job(wanted)
        if stopped is None:
            raise CommandError(f"no job {wanted} is running", "/jobs lists those that are")
        host.notify(f"stopped {stopped.command} ({stopped.id})")
        return
    if not host.session.jobs():
        host.notify("nothing runs in the background")
        return
    host.pick("jobs")


JOBS = tuple(
    Command(
        "jobs",
        kind,
        "see what runs in the background; with an id, or all: stop it",
        _jobs,
        Argument("ID", "jobs"),
        aliases=("tasks",) if kind == "/" else (),
    )
    for kind in ("/", "%")
)
