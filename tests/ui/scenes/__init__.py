"""Every state of the screen that is pictured, by area."""

from tests.ui.scenes import asking, chatting, compacting, listing, plainly
from tests.ui.scenes.scene import STATES, Scene, State

__all__ = ["STATES", "Scene", "State", "asking", "chatting", "compacting", "listing", "plainly"]
