"""`computer.skills`, as code in the Python kernel finds it: functions that are kept, and the program's own skills."""

from __future__ import annotations

from pathlib import Path

from oi_tui import paths
from tests.computer.conftest import Bench


def put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


async def test_the_programs_skills_are_found_and_shown(bench: Bench) -> None:
    put(Path(bench.computer.cwd, ".agents/skills/ship/SKILL.md"), "---\ndescription: How we ship.\n---\nTell the crew.")
    put(paths.home() / "skills/tidy.yaml", "description: Tidies.\ninstructions: Go.\ncode: tidy()\n")
    ran = await bench.run("python", "import os; os.chdir('/')\nprint(computer.skills.list())")
    assert "'debugging'" in ran.text and "'tidy'" in ran.text and "'ship'" not in ran.text, ran.text
    ran = await bench.run("python", "print(computer.skills.search('BUG cause'))\ncomputer.skills.run('$tidy')")
    assert ran.text == "['debugging']\nGo.\n\n```\ntidy()\n```\n"
    ran = await bench.run("python", "computer.skills.run('nix')")
    assert "there is no skill 'nix'; there are: " in ran.text


async def test_a_trusted_folders_skills_are_found(bench: Bench) -> None:
    put(Path(bench.computer.cwd, ".agents/skills/ship/SKILL.md"), "---\ndescription: How we ship.\n---\nTell the crew.")
    bench.computer.trusted = True
    assert (await bench.run("python", "computer.skills.run('ship')")).text == "Tell the crew.\n"


async def test_a_new_skill_is_kept_and_imported(bench: Bench) -> None:
    made = await bench.run(
        "python",
        "new = computer.skills.new_skill\nnew.create()\nnew.name = 'Make \"tea\"'\n"
        "new.add_step('Boil water', 'boil(\"{x}\")')\nnew.add_step('Pour')\nnew.save()\nmake__tea_(1)",
    )
    assert made.result.ok, made.text
    assert (paths.home() / "skills/make__tea_.py").is_file()
    assert "add_step(TEXT, CODE)" in made.text and made.text.endswith("Step 2 of 2 - Pour\n")
    put(paths.home() / "skills/bad.py", "1/0")
    await bench.computer.close()
    other = await bench.run("python", "print(computer.skills.import_skills()); make__tea_()")
    assert "bad.py was passed over: ZeroDivisionError" in other.text
    assert other.text.endswith(
        "['make__tea_']\nStep 1 of 2 - Boil water\n\nboil(\"{x}\")\n\nWhen it is done, call make__tea_(1).\n"
    )
    told = await bench.run("python", "print(computer.skills.list()[:2], computer.skills.search('boil'))")
    assert told.text == "['bad()', 'make__tea_()'] ['make__tea_()']\n"
