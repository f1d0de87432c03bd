"""What the list of models says of each: its window and where that is known from, and its price where it is known."""

from tui_agent.agent.spending import Prices
from tui_agent.context.gauge import Limits
from tui_agent.language import _
from tui_agent.model.listing import ModelInfo
from tui_agent.model.window_table import table_window
from tui_agent.ui.widgets.gauge import compact_number
from tui_agent.ui.words import word


def note_of(info: ModelInfo, prices: Prices, in_use: Limits | None) -> str:
    """`in use · window 128k (endpoint) · $0.15 in, $0.60 out per 1M tokens`; what is not known is left out.

    Args:
        info: the model as the endpoint lists it.
        prices: what endpoints have listed so far.
        in_use: what the model is measured against, if it is the one that is used.
    """
    parts = [_("in use")] if in_use is not None else []
    window, source = _window(info, in_use)
    if window:
        parts.append(_("window {size} ({source})").format(size=compact_number(window), source=word(source)))
    if info.id in prices:
        parts.append(_price(*prices[info.id]))
    return " · ".join(parts)


def _window(info: ModelInfo, in_use: Limits | None) -> tuple[int | None, str]:
    if in_use is not None and in_use.window:
        return in_use.window, in_use.window_source
    if info.window:
        return info.window, info.window_source
    return table_window(info.id), "table"


def _price(price_in: float, price_out: float) -> str:
    if not price_in and not price_out:
        return _("free")
    return _("${price_in} in, ${price_out} out per 1M tokens").format(
        price_in=_dollars(price_in), price_out=_dollars(price_out)
    )


def _dollars(amount: float) -> str:
    return f"{amount:.2f}" if amount >= 0.1 or not amount else f"{amount:.3g}"
