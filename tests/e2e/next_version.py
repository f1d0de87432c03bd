"""The program as a version to come: the same app, over an archive that has one migration more. Run with `-m`.

The migration is made to last, so that something can happen in the middle of it.
"""

import os
import sys
from functools import partial
from typing import Any

from tui_agent.archive import Archive
from tui_agent.archive.schema import MIGRATIONS
from tui_agent.paths import config_file
from tui_agent.settings import load
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.beginning import conductor_for

NEXT = (
    *MIGRATIONS,
    """
    ALTER TABLE session ADD COLUMN colour TEXT;
    UPDATE session SET colour = 'green';
    CREATE TABLE spare (number INTEGER PRIMARY KEY, words BLOB) STRICT;
    INSERT INTO spare WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 150000)
        SELECT n, randomblob(100) FROM counted;
    """,
)


class NextVersion(TuiAgentApp):
    """Knows the migration to come."""

    def _conducting(self) -> Any:
        open_archive = partial(Archive.open, migrations=NEXT)
        return conductor_for(self._chat, self._settings, None, "latest", "", open_archive=open_archive)


if __name__ == "__main__":
    app = NextVersion(load({}, os.environ, config_file()).settings)
    app.run()
    sys.exit(app.return_code)
