"""Rules that people lay down ("never ...", "必须 ..."), told from words that only look like them."""

import re

from tui_agent.context.ledger_patterns import Span
from tui_agent.context.ledger_sentences import Sentence
from tui_agent.context.words import Signs, listed

_NOT_TO = r"(?:do not|don't|don’t|dont)"

_RULE = re.compile(
    rf"\b(?:always|never|must|{_NOT_TO}|remember|shall not|under no circumstances|no new|make sure|be sure"
    r"|from now on|at all times|forbidden|prohibited|not allowed|keep in mind|mustn't"
    r"|should (?:only|not)|(?:we|i)(?:'ve| have)? decided|(?:we|i) prefer|only allowed|may only|banned)\b"
    r"|^(?:please )?(?:stop (?:using|adding|calling|importing)|avoid|prefer|stick to|ensure|use only"
    r"|only (?:use|touch|edit|change|write|run|commit|import|call))\b"
    r"|记住|切记|牢记|请记|(?<![要需])不要|不得|不许|不准|必须|务必|一定要|禁止|严禁|永远|始终|一律|千万|切勿|只能用"
    r"|只许|只准|避免|统一(?:用|使用|采用)|决定(?:用|使用|采用|改用|不)|从现在起|以后都|绝不|别(?=[再用把动改在忘碰删让提])",
    re.IGNORECASE,
)
_ELSEWHERE = (
    r"^(?:bitte |ab sofort |und |aber )*(?:immer|nie|niemals|stets|keinesfalls|auf keinen fall|unbedingt|merke? dir"
    r"|denke? daran|vergiss nicht|vergesst nicht)\b"
    r"|^keine?[nrm]? (?!ahnung|problem|sorge|zeit|lust|idee|frage|wunder|eile)\w"
    r"|^bitte (?:nicht|keine[nrms]?|nur|ausschließlich)\b|\bab sofort\b"
    r"|\b(?:du|ihr|man|sie) (?:musst|müsst|muss|müssen|darfst|dürft|darf|dürfen|sollst|sollt) "
    r"|\b(?:muss|müssen|darf|dürfen) (?:immer|nie|niemals|nicht|nur|stets|unbedingt|zwingend)\b"
    r"|\b(?:ist|sind) (?:verboten|untersagt|nicht erlaubt)\b"
    r"|\bne [^.]{1,30} jamais\b|\bil (?:ne faut (?:pas|jamais)|faut toujours)\b|^n['’]oublie[zs]? pas\b"
    r"|^(?:nunca|siempre) (?:us\w+|hag\w+|haz|ejecut\w+|escrib\w+|respond\w+|toques|subas)\b"
    r"|^recuerda\b|\bno debe[sn]?\b"
    r"|^(?:пожалуйста, )?(?:всегда|никогда|обязательно|запомни(?:те)?|не забудь(?:те)?)\b|\bнельзя\b|\bзапрещен[оаы]\b"
    r"|ни в коем случае|\b(?:должн[аоы]?|надо|нужно) (?:всегда|только|обязательно)\b"
    r"|(?:必ず|絶対に)[^。]{0,60}(?:ください|下さい|こと$|しろ|せよ|ましょう|お願い|ない$)|ないで(?:ください|下さい|くれ)|てはいけ(?:ない|ません)|てはなら(?:ない|なりません)|忘れないで|覚えておいて"
)
"""Rules in German, French, Spanish, Russian and Japanese; made into a pattern when one may have come."""

_WORDS_ELSEWHERE = (
    *listed("kein immer niemals stets daran vergiss vergesst muss müss darf dürf sollst sollt verboten untersagt"),
    *("nie ", "auf keinen", "merk dir", "merke dir", "nicht erlaubt", "bitte ", "ab sofort", "unbedingt"),
    *("jamais", "il faut", "oubli", "nunca", "siempre", "recuerda", "no debe"),
    *listed("всегда никогда обязательно запомни забудь нельзя запрещен случае должн надо нужно"),
    *listed("必ず 絶対 ないで てはい てはな 覚えて"),
)
_MAY_BE_ELSEWHERE = Signs(_WORDS_ELSEWHERE)
_RULE_SIGNS = Signs(
    (
        *listed("always never must don't don’t dont remember forbidden prohibited decided avoid prefer ensure banned"),
        *("do not", "shall not", "under no", "no new", "make sure", "be sure", "from now on", "at all times", "stop "),
        *("allowed", "may only", "keep in mind", "should only", "should not", "stick to", "use only", "only "),
        *_WORDS_ELSEWHERE,
        *listed("必须 务必 一定 永远 始终 一律 千万 避免 统一 决定 从现在 以后"),
        *"记牢要不禁严切只绝别",
    )
)
"""Texts one of which stands in every rule; found faster than rules are."""

_NO_RULE = re.compile(
    rf"\b{_NOT_TO}\s+(?:worry|know|think|understand|see|get why|mind|remember|have|believe|feel|care|recall|quite"
    r"|really|bother|hesitate)\b"
    r"|\b(?:i|we|you|they|he|she|it|who|still|can't|cannot|don't)\s+"
    r"(?:(?:still|also|can't|cannot|don't|vaguely)\s+)?remember\b"
    r"|\bmust\s+(?:have|be\s+(?:a\s+)?(?:mistake|bug|missing|wrong|something|some|kidding|nice|tired|related))\b"
    r"|\bthere\s+must\b|\bnever\s*mind\b|\bremember\s+when\b|永远不会|永远跑|必须说",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\b(?:it|he|she|they|that|this|which|who|there|i|everything|nothing|everybody)"
    rf"(?:'s|’s| is| was| has| have| had| are| were| will)?\s+(?:just\s+)?(?:always|never|{_NOT_TO})\b"
    r"|\b(?:the|a|an|my|our|his|her|their|its)\s+[\w-]+(?:\s+[\w-]+)?\s+(?:is |was |has |have |had )?(?:always|never)\b"
    r"|\b(?:has|have|had|was|were|is|am|are)\s+(?:always|never)\b"
    rf"|\b(?:i|they|it|tests?|users?|people|most|some)\s+{_NOT_TO}\b(?!\s+(?:want|like|wish|commit|use|touch|accept))",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"\b(?:must|should|shall|please|want|from now on|rule|make sure|be sure|forbidden|not allowed|prohibited)\b",
    re.IGNORECASE,
)
_REPLY = r"(?:reply|respond|answer|output|say|print|acknowledge)"
_REPLY_FORM = re.compile(
    rf"\b{_REPLY}\b.{{0,60}}\b(?:only|just|nothing else|exactly|one word|with)\b|\b(?:only|just)\s+{_REPLY}\b"
    r"|\b(?:anything|nothing) else\b"
    r"|(?:回复|回答|输出|说).{0,12}(?:只|仅)|(?:只|仅|只需|只要).{0,6}(?:回复|回答|输出|说)|其他内容|别的内容",
    re.IGNORECASE,
)
_REPLY_SIGNS = ("reply", "respond", "answer", "output", "say", "print", "acknowledge", "回复", "回答", "输出", "说")
_FORM_SIGNS = ("only", "just", "nothing else", "exactly", "one word", "with", "只", "仅")
_ELSE_SIGNS = ("anything else", "nothing else", "其他内容", "别的内容")
_LASTING = re.compile(
    r"\b(?:always|from now on|every|each|never|all)\b|永远|始终|以后|每次|一律|从现在|所有", re.IGNORECASE
)
_AGREED = re.compile(r"(?:rule|decision|agreed|convention|decided|policy|约定|规则|决定)\s*[:：]", re.IGNORECASE)
_REMINDER = re.compile(r"\b(?:remember|keep in mind)\b|请?记住|切记|牢记|请记", re.IGNORECASE)


def states_rule(sentence: Sentence) -> bool:
    """Whether a sentence lays down what has to hold from here on; how to word one reply is no rule."""
    text = sentence.text
    if sentence.is_question:
        return False
    if not _RULE_SIGNS.stand_in(sentence.lowered):
        return False
    if not _RULE.search(text):
        return _MAY_BE_ELSEWHERE.stand_in(sentence.lowered) and bool(re.search(_ELSEWHERE, text, re.IGNORECASE))
    if is_reply_form(sentence):
        return False
    if _NO_RULE.search(text) and not _RULE.search(_NO_RULE.sub(" ", text)):
        return False
    return not _DESCRIBES.search(text) or bool(_OBLIGES.search(text))


def may_word_a_reply(text: str) -> bool:
    """Whether any sentence of a text may be a reply form; most texts have none, which a quick look tells."""
    stands = text.casefold().__contains__
    is_worth_a_search = any(map(stands, _ELSE_SIGNS)) or (
        any(map(stands, _FORM_SIGNS)) and any(map(stands, _REPLY_SIGNS))
    )
    return is_worth_a_search and bool(_REPLY_FORM.search(text))


def is_reply_form(sentence: Sentence) -> bool:
    """Whether a sentence only says how one reply is to be worded ("Reply with OK only")."""
    return may_word_a_reply(sentence.text) and not _LASTING.search(sentence.text)


def states_agreement(sentence: Sentence) -> bool:
    """Whether an assistant's sentence puts down something as decided."""
    return bool(_AGREED.match(sentence.text)) and not sentence.is_question


def is_only_a_reminder(sentence: Sentence) -> bool:
    """Whether the only thing that makes a sentence a rule is "remember"."""
    return not _RULE.search(_REMINDER.sub(" ", sentence.text))


def rule_span(sentence: Sentence) -> Span:
    """The sentence as a rule."""
    return Span(sentence.start, sentence.start + len(sentence.text), "rule", sentence.text)
