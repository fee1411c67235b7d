"""The SQL kernel: runs statements in SQLite, or in DuckDB where that package is installed, and prints tables.

Standard library only, Python 3.8 or newer; it is started and spoken to as python_child.py is, whose pipes it uses.
Which database: the first line `-- file: PATH` or `.open PATH`, else the one that is open, else the only database file
in the working directory, else one in memory. A file that DuckDB wrote, or a name that ends in `.duckdb`, is opened with
DuckDB, and the line `-- duckdb` means one in its memory. Statements run one after another, each commits by itself
unless a block says BEGIN; the first that fails ends the block. Every row is printed.
"""

# This file runs in Pythons that know no `X | Y`, and prints for a living.
# ruff: noqa: B905, PTH100, PTH109, PTH110, PTH111, PTH112, PTH113, PTH120, PTH123, PTH208, SIM105, T201, UP006, UP031, UP035, UP045
from __future__ import annotations

import _thread
import importlib
import os
import re
import select
import signal
import sqlite3
import sys

from python_child import Channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

SAMPLE = 1000  # rows that decide how wide columns are
WIDEST = 200  # characters of a cell that count for the width; longer ones stand out to the right
SUFFIXES = (".db", ".sqlite", ".sqlite3", ".db3", ".duckdb", ".ddb")
MEMORY = ":memory:"
OPEN = "a transaction is open: until COMMIT or ROLLBACK the file has nothing of it, and others may have to wait"
_CHOICE = re.compile(r"\A\s*(?:--\s*file:|\.open\s)\s*(?P<file>.+?)\s*$|\A\s*--\s*(?P<duckdb>duckdb)\s*$", re.M | re.I)


class Unusable(Exception):
    """Something that the person can put right; the text says how."""


class Lacking(Unusable):
    """A package has to be installed first."""

    module = "duckdb"


class Database:
    """The open database and which engine it is of."""

    def __init__(self, path: str, duck: bool) -> None:
        self.path, self.duck = path, duck
        self.connection: Any = _duckdb(path) if duck else _sqlite(path)
        self._begun = False  # DuckDB does not tell by itself

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._begun if self.duck else self.connection.in_transaction

    def statements(self, source: str) -> Iterator[str]:
        """The statements of a block, comments and empty ones left out."""
        if self.duck:
            import duckdb  # pyright: ignore[reportMissingImports]

            for one in duckdb.extract_statements(source):
                yield one.query
            return
        start = at = 0
        while True:
            at = source.find(";", at) + 1
            piece = source[start : at or None]
            if not at or sqlite3.complete_statement(piece):
                if _bare(piece).strip("; \t\r\n\f\v"):
                    yield piece
                start = at
            if not at:
                return

    def run(self, statement: str, stopped: Callable[[], bool] = bool) -> None:
        """Run one statement and print what comes of it. stopped: asked between rows whether to go on."""
        if self.duck:
            result = self.connection.execute(statement)
            # DuckDB answers everything with a table; of what changes rows, that is their number.
            kind = (re.findall(r"[A-Z]+", _bare(statement).upper()) or [""])[0]
            self._begun = kind in ("BEGIN", "START") or (
                self._begun and kind not in ("COMMIT", "END", "ROLLBACK", "ABORT")
            )
            names = [one[0] for one in result.description or ()]
            if names == ["Count"] and kind in ("INSERT", "UPDATE", "DELETE", "COPY", "MERGE"):
                print(counted(result.fetchone()[0], "row") + " changed")
            elif names == ["explain_key", "explain_value"]:
                print("\n".join(plan for _, plan in result.fetchall()))
            elif names and not (names == ["Success"] or (names == ["Count"] and kind == "CREATE")):
                table(names, result, stopped)
            return
        cursor = self.connection.execute(statement)
        if cursor.description:
            table([one[0] for one in cursor.description], cursor, stopped)
        elif cursor.rowcount >= 0:
            print(counted(cursor.rowcount, "row") + " changed")
        cursor.close()

    def close(self) -> None:
        try:
            self.connection.close()
        except Exception:  # it goes with the process at the latest
            pass


def _bare(statement: str) -> str:
    """A statement without its comments."""
    return re.sub(r"--[^\n]*|/\*.*?\*/", "", statement, flags=re.S)


def _sqlite(path: str) -> Any:
    connection = sqlite3.connect(path, isolation_level=None, timeout=5.0)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.execute("PRAGMA schema_version").fetchone()  # is it a database at all?
    return connection


def _duckdb(path: str) -> Any:
    importlib.invalidate_caches()  # it may have been installed a moment ago
    try:
        import duckdb  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise Lacking(
            "%s needs DuckDB: install the package duckdb into %s (pip install duckdb)" % (path, sys.executable)
        ) from None
    return duckdb.connect(path)


def is_duck(path: str) -> bool:
    """Whether DuckDB is to open this file: it wrote it (its mark stands at byte 8), or the name says so."""
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except OSError:
        head = b""
    if head:
        return head[8:12] == b"DUCK"
    return path.lower().endswith((".duckdb", ".ddb"))


def found_here() -> Optional[str]:
    """The only database file of the working directory, None where there is none or more than one."""
    try:
        names = [one for one in os.listdir() if one.lower().endswith(SUFFIXES) and os.path.isfile(one)]
    except OSError:
        names = []
    return names[0] if len(names) == 1 else None


def cell(value: Any) -> str:
    """One value on one line."""
    if value is None:
        return "NULL"
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        return "x'%s'%s" % (data[:32].hex(), "" if len(data) <= 32 else "... (%d bytes)" % len(data))
    return str(value).replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")


def table(names: Sequence[str], rows: Any, stopped: Callable[[], bool] = bool) -> None:
    """Print all rows under their names, numbers to the right, and how many they were."""
    sample = rows.fetchmany(SAMPLE)
    shown = [[cell(one) for one in row] for row in sample]
    numeric = [any(row[i] is not None for row in sample) for i in range(len(names))]
    for row in sample:
        for i, value in enumerate(row):
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                numeric[i] = False
    heads = [cell(one) for one in names]
    widths = [min(max([len(head)] + [len(row[i]) for row in shown]), WIDEST) for i, head in enumerate(heads)]

    def line(cells: Sequence[str]) -> str:
        parts = [one.rjust(width) if right else one.ljust(width) for one, width, right in zip(cells, widths, numeric)]
        return " | ".join(parts).rstrip()

    print(line(heads))
    print("-+-".join("-" * width for width in widths))
    total = 0
    while sample:
        if stopped():
            raise Unusable("interrupted")
        total += len(sample)
        print("\n".join(line(row) for row in shown))
        sample = rows.fetchmany(SAMPLE)
        shown = [[cell(one) for one in row] for row in sample]
    print("(%s)" % counted(total, "row"))


def counted(number: int, word: str) -> str:
    return "%d %s%s" % (number, word, "" if number == 1 else "s")


class Kernel:
    """Runs blocks one after another against the open database."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.open: Optional[Database] = None
        self.block_id = 0
        self.lock = _thread.allocate_lock()  # held where an interrupt becomes a block's
        self.signals, wake = os.pipe()
        for fd in (self.signals, wake):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.set_wakeup_fd(wake)
        _thread.start_new_thread(self.watch, ())

    def watch(self) -> None:
        """In a thread, since Python runs no signal handler while a statement is busy in C: tell the engine."""
        while True:
            select.select([self.signals], [], [])
            with self.lock:
                stop = self.signalled() and self.channel.running
                self.channel.heard = self.channel.heard or stop
                if stop and self.open is not None:
                    try:
                        self.open.connection.interrupt()
                    except Exception:  # closed a moment ago
                        pass
            if stop:
                self.channel.send({"event": "stopping", "id": self.block_id})

    def signalled(self) -> bool:
        """Whether there was an interrupt since this was last asked."""
        try:
            return bool(os.read(self.signals, 1024))
        except BlockingIOError:
            return False

    def serve(self) -> None:
        """Answer requests until the parent says quit or is gone."""
        self.channel.send({"event": "ready", "version": sqlite3.sqlite_version})
        while True:
            request = self.channel.receive()
            if request is None or request["op"] == "quit":
                break
            if request["op"] == "run":
                self.run(request)
        if self.open is not None:
            self.open.close()  # what was begun and not committed is taken back, and its journal goes

    def run(self, request: Dict[str, Any]) -> None:
        """Run one block and report its end."""
        done: Dict[str, Any] = {"event": "done", "id": request["id"], "ok": True}
        if request.get("cwd"):
            try:
                os.chdir(request["cwd"])
            except OSError as error:
                done["lost_folder"] = str(error)
        with self.lock:
            self.signalled()  # what came when the block before had just ended is nobody's
            self.block_id = request["id"]
            self.channel.running = True
        try:
            self.block(request["code"])
        except BaseException as error:
            # An interrupt comes out of the engines as an error of theirs.
            stopped = self.channel.heard
            text = "interrupted" if stopped else str(error) or type(error).__name__
            done.update(ok=False, interrupted=stopped, error=text)
            if isinstance(error, Lacking):
                done["missing"] = error.module
            print("interrupted" if stopped else "Error: " + text)
        finally:
            with self.lock:
                self.channel.running = self.channel.heard = False
        if self.open is not None and self.open.in_transaction:
            done["note"] = OPEN
        sys.stdout.flush()
        done["cwd"] = os.getcwd() if os.path.exists(".") else ""
        self.channel.send(done)

    def stopped(self) -> bool:
        """Whether the block has been interrupted."""
        return self.channel.heard

    def block(self, source: str) -> None:
        choice = _CHOICE.match(source)
        if choice is not None:
            self.use(MEMORY if choice.group("duckdb") else choice.group("file"), bool(choice.group("duckdb")))
            source = source[choice.end() :]
        elif self.open is None:
            self.use(found_here() or MEMORY, False)
        assert self.open is not None
        for part, dotted in parts(source):
            if dotted:
                self.dot(part)
                continue
            if self.stopped():
                raise Unusable("interrupted")
            for statement in self.open.statements(part):
                self.open.run(statement, self.stopped)

    def use(self, path: str, duck: bool) -> None:
        """Open a database, and say which, unless it is the one that is open. The one before is closed."""
        path = path.strip().strip("'\"")
        if path != MEMORY:
            path = os.path.abspath(os.path.expanduser(path))
            if os.path.isdir(path) or not os.path.isdir(os.path.dirname(path)):
                raise Unusable("%s cannot be opened: it is a folder, or its folder is not there" % path)
        duck = duck or (path != MEMORY and is_duck(path))
        if self.open is not None:
            if (self.open.path, self.open.duck) == (path, duck) and path != MEMORY:
                return
            if self.open.in_transaction:
                raise Unusable("a transaction is open in %s: COMMIT or ROLLBACK it first" % self.open.path)
            self.open.close()
            self.open = None
        new = path != MEMORY and not os.path.exists(path)
        self.open = Database(path, duck)
        name = "a database in memory" if path == MEMORY else path
        print("-- %s (%s%s)" % (name, "DuckDB" if duck else "SQLite", ", new" if new else ""))

    def dot(self, line: str) -> None:
        """The few commands of the sqlite3 shell that have a meaning here."""
        assert self.open is not None
        word, _, rest = line.strip().partition(" ")
        like = rest.strip().strip("'\"").rstrip(";") or "%"
        if word == ".open":
            self.use(rest, False)
        elif self.open.duck and word == ".tables":
            self.open.run("SHOW TABLES")
        elif self.open.duck and word == ".schema":
            every = "SELECT sql FROM duckdb_tables() WHERE table_name LIKE ? ORDER BY table_name"
            for (sql,) in self.open.connection.execute(every, [like]).fetchall():
                print(sql)
        elif word == ".tables":
            kinds = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
            table(["name", "type"], self.open.connection.execute(kinds + " ORDER BY name"))
        elif word == ".schema":
            every = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name LIKE ? ORDER BY rowid"
            for (sql,) in self.open.connection.execute(every, (like,)):
                print(sql + ";")
        else:
            raise Unusable("%s is a command of the sqlite3 shell; here there are .open, .tables and .schema" % word)


def parts(source: str) -> List[Tuple[str, bool]]:
    """The block cut at lines that begin with a dot where a statement could begin: (text, whether it is such a line)."""
    made: List[Tuple[str, bool]] = []
    waiting = ""
    for line in source.splitlines(True):
        between = not waiting.strip() or sqlite3.complete_statement(waiting)
        if between and re.match(r"\.[a-z]", line):
            made += [(waiting, False), (line, True)]
            waiting = ""
        else:
            waiting += line
    return [one for one in [*made, (waiting, False)] if one[0].strip()]


def main() -> None:
    """Serve requests from the first descriptor in the arguments, tell events on the second."""
    channel = Channel(int(sys.argv[-2]), int(sys.argv[-1]))
    # The folder of this file was needed for its neighbour only; what lies there must not hide anybody's module.
    sys.path[0] = ""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=False)  # type: ignore[union-attr]
    Kernel(channel).serve()


if __name__ == "__main__":
    main()
