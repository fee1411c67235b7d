"""Draw one chart from a table and say in words what was drawn.

chart.py TABLE --x COLUMN --y COLUMN[,COLUMN] [--kind line|bar|barh|scatter|hist|box] [--group COLUMN]
         [--how none|sum|mean|median|count] [--top N] [--title TEXT] [--xlabel TEXT] [--ylabel TEXT] [--out chart.png]

TABLE: .csv, .tsv, .json (a list of objects, or JSON lines) or .xlsx. Needs matplotlib, and openpyxl for .xlsx.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_HOW = {"sum": sum, "mean": statistics.fmean, "median": statistics.median, "count": len}
_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%Y-%m", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S")
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")  # told apart by everybody


def table(path: Path) -> list[Row]:
    """The rows of a file. Raises SystemExit with what to do."""
    if path.suffix == ".xlsx":
        try:
            import openpyxl
        except ImportError:
            sys.exit("reading .xlsx needs openpyxl: pip install openpyxl, or save the sheet as CSV")
        rows = list(openpyxl.load_workbook(path, read_only=True, data_only=True).active.iter_rows(values_only=True))
        head = [str(name) for name in rows[0]] if rows else []
        return [dict(zip(head, row)) for row in rows[1:]]  # noqa: B905 - runs in old Pythons
    text = path.read_bytes().decode("utf-8-sig", "replace")
    if path.suffix in {".json", ".jsonl", ".ndjson"}:
        try:
            found = json.loads(text)
        except ValueError:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            sys.exit(f"{path} is no list of objects")
        return found
    first = text.split("\n", 1)[0]
    mark = max("\t;,|", key=first.count)
    return list(csv.DictReader(text.splitlines(), delimiter=mark))


def number(value: Any) -> float | None:
    """A number as people write it: 1,234.5, 1.234,5, 12 %, $3; None for what is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value) if value == value else None
    text = re.sub(r"[\s%$€£_'\u00a0]", "", str(value))
    if re.fullmatch(r"-?\d{1,3}(\.\d{3})+(,\d+)?", text) and ("," in text or text.count(".") > 1):
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    elif re.fullmatch(r"-?\d+,\d+", text):
        text = text.replace(",", ".")
    try:
        made = float(text)
    except ValueError:
        return None
    return made if abs(made) < 1e300 else None


def place(values: list[Any]) -> list[Any]:
    """x values as dates if all are dates, as numbers if all are numbers, else as text."""
    texts = [str(one).strip() for one in values]
    if all(isinstance(one, (datetime.date, datetime.datetime)) for one in values):
        return values
    for form in _DATES:
        try:
            return [datetime.datetime.strptime(one, form) for one in texts]
        except ValueError:
            continue
    numbers = [number(one) for one in values]
    return texts if None in numbers else numbers


def series(rows: list[Row], args: argparse.Namespace) -> tuple[dict[str, list[tuple[Any, float]]], int]:
    """Name -> points in the order of the table, and how many rows had no number."""
    found: dict[str, list[tuple[Any, float]]] = {}
    dropped = 0
    for row in rows:
        for column in args.y:
            y = 1.0 if args.how == "count" else number(row.get(column))
            x = row.get(args.x) if args.x else None
            if y is None or (args.x and (x is None or str(x).strip() == "")):
                dropped += 1
                continue
            name = str(row.get(args.group)) if args.group else column
            name = f"{name} {column}" if args.group and len(args.y) > 1 else name
            found.setdefault(name, []).append((x, y))
    return found, dropped


def combined(points: list[tuple[Any, float]], how: str) -> list[tuple[Any, float]]:
    """Points with the same x as one."""
    if how == "none":
        return points
    together: dict[Any, list[float]] = {}
    for x, y in points:
        together.setdefault(x, []).append(y)
    return [(x, float(_HOW[how](ys))) for x, ys in together.items()]


def draw(found: dict[str, list[tuple[Any, float]]], args: argparse.Namespace) -> None:
    """Draw all series into args.out."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("this needs matplotlib: pip install matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    if args.kind == "hist":
        for index, (name, points) in enumerate(found.items()):
            axes.hist([y for _, y in points], bins="auto", alpha=0.7, label=name, color=_COLOURS[index % 7])
    elif args.kind == "box":
        axes.boxplot([[y for _, y in points] for points in found.values()])
        axes.set_xticks(range(1, len(found) + 1), list(found))
    elif args.kind in {"bar", "barh"}:
        bars(axes, found, flat=args.kind == "barh")
    else:
        for index, (name, points) in enumerate(found.items()):
            xs, ys = place([x for x, _ in points]), [y for _, y in points]
            if args.kind == "line" and not isinstance(xs[0], str):
                xs, ys = zip(*sorted(zip(xs, ys), key=lambda pair: pair[0]))  # noqa: B905
            how = {"marker": "o", "markersize": 4} if args.kind == "line" else {"marker": "o", "linestyle": "none"}
            axes.plot(xs, ys, label=name, color=_COLOURS[index % 7], **how)
    if args.kind == "line":
        figure.autofmt_xdate()
    axes.set_title(args.title, loc="left", fontweight="bold")
    across, up = args.xlabel or args.x or "", args.ylabel or ", ".join(args.y)
    axes.set_xlabel(up if args.kind in {"barh", "hist"} else across)
    axes.set_ylabel(across if args.kind == "barh" else "rows" if args.kind == "hist" else up)
    axes.spines[["top", "right"]].set_visible(False)
    if len(found) > 1 and args.kind != "box":
        axes.legend(frameon=False)
    figure.savefig(args.out, dpi=150)


def bars(axes: Any, found: dict[str, list[tuple[Any, float]]], flat: bool) -> None:
    """Bars beside each other for each x, beginning at 0."""
    names = list(dict.fromkeys(str(x) for points in found.values() for x, _ in points))
    thick = 0.8 / len(found)
    for index, (name, points) in enumerate(found.items()):
        at = [names.index(str(x)) + thick * (index - (len(found) - 1) / 2) for x, _ in points]
        drawn = axes.barh if flat else axes.bar
        drawn(at, [y for _, y in points], thick, label=name, color=_COLOURS[index % 7])
    if flat:
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
    else:
        long = max(map(len, names)) * len(names) > 80
        axes.set_xticks(range(len(names)), names, rotation=45 if long else 0, ha="right" if long else "center")


def main() -> None:
    """Read the arguments, draw, and say what was drawn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--x", default="")
    parser.add_argument("--y", required=True, type=lambda text: [one.strip() for one in text.split(",")])
    parser.add_argument("--kind", choices=("line", "bar", "barh", "scatter", "hist", "box"), default="line")
    parser.add_argument("--group", default="")
    parser.add_argument("--how", choices=("none", *_HOW), default="none")
    parser.add_argument("--top", type=int, default=0)
    for name in ("title", "xlabel", "ylabel"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--out", type=Path, default=Path("chart.png"))
    args = parser.parse_args()
    try:
        rows = table(args.table)
    except OSError as error:
        sys.exit(f"{args.table}: {error.strerror}")
    known = list(rows[0]) if rows else []
    wanted = [*([] if args.how == "count" else args.y), *filter(None, (args.x, args.group))]
    missing = [one for one in wanted if one not in known]
    if missing:
        sys.exit(f"there is no column {', '.join(missing)}; there are: {', '.join(map(str, known)) or 'none'}")
    if args.kind not in {"hist", "box"} and not args.x:
        sys.exit(f"a {args.kind} chart needs --x")
    found, dropped = series(rows, args)
    if args.kind not in {"hist", "box", "scatter"}:
        found = {name: combined(points, args.how) for name, points in found.items()}
    if args.top:
        found = {name: sorted(points, key=lambda one: -one[1])[: args.top] for name, points in found.items()}
    found = {name: points for name, points in found.items() if points}
    if not found:
        sys.exit(f"nothing to draw: no row has a number in {', '.join(args.y)}")
    draw(found, args)
    print(f"{args.out}: {args.kind} of {len(rows)} rows, {dropped} values left out because they are empty or no number")
    for name, points in found.items():
        low, high = min(points, key=lambda one: one[1]), max(points, key=lambda one: one[1])
        at = (f" at {low[0]}", f" at {high[0]}") if args.x else ("", "")
        total = sum(y for _, y in points)
        print(f"  {name}: {len(points)} points, least {low[1]:g}{at[0]}, most {high[1]:g}{at[1]}, sum {total:g}")


if __name__ == "__main__":
    main()
