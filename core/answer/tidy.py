"""What a model wrote, as a person would have: no echoes, no fences around prose, no repetitions, no loose end."""

import re

from core.normalize import fold

_ECHO = re.compile(
    r"^\s*(?:(?:<\|[^|>]*\|>)|(?:\**(?:resposta|answer|assistente?|bot|final answer|resposta final)\**\s*:\s*\**))\s*",
    re.IGNORECASE,
)
_TOKENS = re.compile(r"<\|[^|>\n]{0,40}\|>|</?s>|<<<|>>>")
_FENCED = re.compile(r"^\s*(?:```|~~~)[\w-]*\n(.*?)\n?(?:```|~~~)?\s*$", re.DOTALL)
_NEXT_TURN = re.compile(
    r"\n\s*(?:\**(?:pergunta|question|trechos|passages|user|usu[aá]rio|human)\**\s*\d*\s*:|\[\d+\]\s*(?:\([^)\n]*\))?\s*<<<)",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"^\W*(?:n[aã]o[_ ]sei|unknown|i don'?t know|n[aã]o (?:h[aá]|encontrei|foi (?:poss[ií]vel|encontrad[oa])|consta)\b[^.]{0,80}|"
    r"the passages? do(?:es)? not (?:answer|say|mention|contain)\b[^.]{0,80}|os trechos n[aã]o (?:respondem|mencionam|dizem)\b[^.]{0,80})\W*$",
    re.IGNORECASE,
)
_MARKER = re.compile(r"\b(?:NAO_SEI|NÃO_SEI|UNKNOWN)\b")


def tidy(text: str) -> str:
    """The answer itself. An empty text stays empty."""
    text = text.strip()
    fenced = _FENCED.match(text)
    text = fenced.group(1) if fenced else text
    for _ in range(3):
        text = _ECHO.sub("", text, count=1)
    text = _NEXT_TURN.split("\n" + text, maxsplit=1)[0]
    text = _TOKENS.sub("", text)
    return _finished(_once("\n".join(line.rstrip() for line in text.strip().splitlines())))


def says_unknown(text: str) -> bool:
    """Whether a draft says that the passages hold no answer, and nothing else."""
    bare = re.sub(r"\[\d+\]", "", text).strip()
    return (
        not bare or _UNKNOWN.match(bare) is not None or (_MARKER.search(bare) is not None and len(bare) < 160)
    )


def without_marker(text: str) -> str:
    """A draft without a stray UNKNOWN among real sentences."""
    return re.sub(r"\s{2,}", " ", _MARKER.sub("", text)).strip(" .") + "." if _MARKER.search(text) else text


def _once(text: str) -> str:
    """Drop lines and sentences that say again what was just said; small models loop."""
    seen: set[str] = set()
    lines = []
    for line in text.splitlines():
        kept = []
        for sentence in re.split(r"(?<=[.!?\]])\s+(?=[A-ZÀ-Ý\[*\-])", line):
            key = re.sub(r"[\W_]+", "", fold(re.sub(r"\[\d+\]", "", sentence)))
            if len(key) > 12 and key in seen:
                continue
            seen.add(key)
            kept.append(sentence)
        if kept or not line.strip():
            lines.append(" ".join(kept))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _finished(text: str) -> str:
    """Cut a last sentence that the token limit broke off, where a whole one stands before it."""
    if not text or re.search(r"[.!?:…\])”\"*`]\s*$", text) or "\n- " in text or "\n1" in text:
        return text
    ends = [m.end() for m in re.finditer(r"[.!?](?:\s*\[\d+\])*(?=\s)", text)]
    return text[: ends[-1]] if ends and ends[-1] > len(text) / 3 else text
