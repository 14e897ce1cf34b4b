"""Where Portuguese and English sentences end. Pieces are exact slices: joined with their gaps they are the text."""

import re

from core.language import listed
from core.normalize import fold

# A sentence may end at these marks, together with closing quotes, brackets and footnote stars.
_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]*_]*(?=\s)")
_BULLET = re.compile(r"\s*(?:[-*•‣▪–—·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+\S")
_KEY_VALUE = re.compile(r"\s*[A-ZÀ-Ý][^.:;!?\n]{1,40}:\s+\S")
_LEADER = re.compile(r"\.{4,}|\t|\s\|\s")  # dotted leaders, tab and pipe columns: one line is one entry
_ENUMERATOR = re.compile(r"(?:^|\s)\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})\.$")
_INITIAL = re.compile(r"(?:^|[\s(.])[A-ZÀ-Ý]\.$")
_OPENERS = "\"'“‘«([*_¿¡"

# Never the end of a sentence: a name, a number or a clause follows.
_BEFORE_NAME = frozenset(
    listed(
        "art arts sr sra srs sras srta dr dra drs dras prof profa profs exmo exma ilmo ilma eng enga arq adv gen cel "
        "cap ten sgt mr mrs ms messrs st sto sta av al trav pc rod km fl fls pag pags pg pp p vol vols cap caps inc "
        "sec secs ch chs fig figs tab tabs no nos nr num n ref refs cf vs v ver ed eds org coord apt apto bl tel cel "
        "aprox approx ca min max obs ex p.ex e.g i.e viz alin par un it itens lic mat proc"
    )
) - frozenset(["no", "nos", "al", "min", "max", "un", "it", "mat", "ten"])
# May end a sentence: only a following sentence starter tells.
_MAY_END = frozenset(
    listed(
        "etc ltda cia s.a s/a inc ltd corp co llc plc jr sr.jr a.m p.m am pm h hrs min max kg un u.s u.k e.u.a "
        "jan fev mar abr mai jun jul ago set out nov dez feb apr may aug sep sept oct dec seg ter qua qui sex sab "
        "dom mon tue wed thu fri sat sun ph.d no nos"
    )
)
_COMPANY = frozenset(listed("ltda cia s.a inc ltd corp co llc plc"))  # "Ltd. Cold stores …" begins a sentence
_STARTERS = frozenset(
    listed(
        "o a os as um uma no na nos nas em ao para por com sem se quando quem onde como isso isto este esta estes "
        "estas esse essa esses essas ele ela eles elas todo toda todos todas cada caso apos depois antes ja nao the "
        "an it its this that these those he she they we you i in on at for from by with without if when who where "
        "how after before each every all no not any there then also but however mas porem tambem assim entao ha"
    )
)


def _last_word(text: str) -> str:
    """The folded word that carries the full stop, inner dots kept: `p. ex.` gives `ex`, `S.A.` gives `s.a`."""
    return fold(re.split(r"[\s(\[\"“«]", text.rstrip(".…"))[-1]) if text.strip() else ""


def _ends_here(before: str, after: str) -> bool:
    """Whether a sentence really ends between `before` (with its mark) and `after` (the text behind the gap)."""
    mark = before.rstrip("\"'”’»)]*_")
    following = after.lstrip(_OPENERS)
    if not mark.endswith("."):
        return not following[:1].islower()
    if following[:1].islower() or mark.endswith("...."):  # dots that lead to a page or phone number
        return False
    if mark.endswith("..."):
        return True
    word = _last_word(mark)
    if word in _BEFORE_NAME:
        return False
    if word in _MAY_END or _INITIAL.search(mark):
        starter = re.match(r"\w+(?!\w*\.)", following)
        lower_next = word in _COMPANY and re.match(r"\w+\s+[a-zà-ý]", following) is not None
        return starter is not None and (lower_next or fold(starter.group()) in _STARTERS)
    return not _ENUMERATOR.search(before) or (len(before.split()) > 3 and not word.isalpha())


def _is_entry(line: str) -> bool:
    """Whether a line stands on its own: a list item, a `key: value` line, an entry with leaders or columns."""
    return bool(_BULLET.match(line) or _KEY_VALUE.match(line) or _LEADER.search(line))


def _line_breaks(text: str) -> list[int]:
    """Offsets of line breaks that end a piece: blank lines, and lines before or after an entry."""
    found = []
    for match in re.finditer(r"\n", text):
        before = text[: match.start()].rsplit("\n", 1)[-1]
        after = text[match.end() :].split("\n", 1)[0]
        wrapped = after[:1].islower() or after.startswith((" ", "\t"))  # the entry goes on in the next line
        if not before.strip() or not after.strip() or _is_entry(after) or (_is_entry(before) and not wrapped):
            found.append(match.start())
    return found


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of every sentence, without the white space around it. List items and entries count as sentences."""
    cuts = set(_line_breaks(text))
    started = 0
    for match in _END.finditer(text):
        started = max(started, text.rfind("\n", 0, match.start()) + 1)
        after = text[match.end() : match.end() + 80].lstrip()
        if after and _ends_here(text[started : match.end()], after):
            cuts.add(match.end())
            started = match.end()
    spans = []
    start = 0
    for cut in [*sorted(cuts), len(text)]:
        piece = text[start:cut]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            spans.append((left, start + len(piece.rstrip())))
        start = cut
    return tuple(spans)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, each as it stands.

    >>> sentences("A Dra. Lia assina (Art. 5). Ligue às 14h.")
    ('A Dra. Lia assina (Art. 5).', 'Ligue às 14h.')
    """
    return tuple(text[start:end] for start, end in sentence_spans(text))
