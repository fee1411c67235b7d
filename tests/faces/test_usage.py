"""Wrong usage of housekeeping commands: two lines, exit code 2."""

import pytest

from oi_tui.faces import models, sessions


@pytest.mark.parametrize(
    ("command", "argv", "said"),
    [
        (sessions.main, ["--foo"], "oi sessions: does not take --foo\nsee oi sessions --help\n"),
        (models.main, ["pul"], "oi models: "),
        (models.main, ["pull", "--foo"], "does not take --foo\n"),
    ],
)
def test_wrong_usage_says_what_and_where_to_look(command, argv, said, capsys) -> None:  # noqa: ANN001
    with pytest.raises(SystemExit) as left:
        command(argv)
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert said in told
    assert "usage:" not in told
    assert told.count("\n") == 2
