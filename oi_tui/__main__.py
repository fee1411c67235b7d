"""`python -m oi_tui` is the same program as `oi`."""

import sys

from oi_tui.cli import main

sys.exit(main())
