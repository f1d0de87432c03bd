"""Where the settings of a run came from, so that they can be read again and the file among them be changed."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from tui_agent.settings.loading import Loaded, load
from tui_agent.values import frozen


@frozen
class Origin:
    """Flags, environment and settings file of a run."""

    path: Path
    """The settings file; it need not exist."""

    flags: Mapping[str, object] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def load(self) -> Loaded:
        """The settings as they would be at the next start."""
        return load(self.flags, self.environ, self.path)

    def change(self, name: str, text: str) -> None:
        """Write a setting into the file; `text` as a variable would hold it.

        Raises:
            SettingRefused: the text is no such value; the file is as it was.
            ConfigInvalid: the file cannot be read or written.
        """
        from tui_agent.settings import writing  # few runs change a setting

        writing.write_config(self.path, lambda before: writing.with_setting(before, name, text))

    def reset(self, name: str) -> None:
        """Take a setting out of the file.

        Raises:
            ConfigInvalid: the file cannot be read or written.
        """
        from tui_agent.settings import writing

        writing.write_config(self.path, lambda before: writing.without_setting(before, name))

    def change_key(self, binding: str, keys: str) -> None:
        """Write the keys of a binding into the table [keys]; "" takes them out.

        Raises:
            ConfigInvalid: the file cannot be read or written.
        """
        from tui_agent.settings import writing

        if keys:
            writing.write_config(self.path, lambda before: writing.with_setting(before, "keys", keys, inside=binding))
        else:
            writing.write_config(self.path, lambda before: writing.without_setting(before, "keys", inside=binding))
