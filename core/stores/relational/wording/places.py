"""Names of countries, continents and languages in Portuguese and English, and the adjectives made from them.

Names come from the CLDR through Babel. A question says "cantores franceses" or "French singers"; the cell says
"France" or "França": all of them share a key. Only cells are matched this way, never headers.
"""

from functools import lru_cache

from babel import Locale

from core.stores.relational.wording.words import cell_words

_ADJECTIVES = """
BR brazilian brasileiro; PT portuguese portugues; US american americano estadunidense; GB british britanico;
FR french frances; DE german alemao; ES spanish espanhol; IT italian italiano; AR argentinian argentino;
UY uruguayan uruguaio; PY paraguayan paraguaio; CL chilean chileno; PE peruvian peruano; CO colombian colombiano;
MX mexican mexicano; CA canadian canadense; JP japanese japones; CN chinese chines; IN indian indiano;
RU russian russo; NL dutch holandes neerlandes; BE belgian belga; CH swiss suico; AT austrian austriaco;
SE swedish sueco; NO norwegian noruegues; DK danish dinamarques; FI finnish finlandes; PL polish polones;
GR greek grego; TR turkish turco; IE irish irlandes; HU hungarian hungaro; CZ czech tcheco; RO romanian romeno;
UA ukrainian ucraniano; AU australian australiano; NZ zealander neozelandes; ZA african sulafricano;
EG egyptian egipcio; AO angolan angolano; MZ mozambican mocambicano; IL israeli israelense; KR korean coreano;
SA saudi saudita; BO bolivian boliviano; VE venezuelan venezuelano; EC ecuadorian equatoriano; CU cuban cubano;
002 african africano; 142 asian asiatico; 150 european europeu; 019 american americano; 009 oceanian oceanico;
BG bulgarian bulgaro; HR croatian croata; RS serbian servio; VN vietnamese vietnamita; TH thai tailandes;
ID indonesian indonesio; PH filipino filipino; MA moroccan marroquino; NG nigerian nigeriano; IR iranian iraniano
"""
_SHORT = {
    "US": ("usa", "eua", "us", "estados unidos", "united states", "united states of america"),
    "GB": ("uk", "reino unido", "united kingdom", "inglaterra", "england", "great britain"),
    "NL": ("holanda", "holland", "netherlands"),
    "RU": ("russia", "russian federation", "federacao russa"),
    "AE": ("emirados", "uae"),
}
_LONGEST = 4  # words


@lru_cache(maxsize=1)
def _names() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Folded words of every name -> its keys; not stemmed, or "names" would be the Nama language."""
    found: dict[tuple[str, ...], list[str]] = {}

    def add(name: str, key: str) -> None:
        stems = cell_words(name)
        if stems and key not in found.setdefault(stems, []):
            found[stems].append(key)

    for locale in (Locale("en"), Locale("pt")):
        for code, name in sorted(locale.territories.items()):
            add(name, f"place:{code}")
        for code, name in sorted(locale.languages.items()):
            add(name, f"language:{code}")
    for code, names in sorted(_SHORT.items()):
        for name in names:
            add(name, f"place:{code}")
    for entry in _ADJECTIVES.replace("\n", " ").split(";"):
        code, *words = entry.split()
        for word in words:
            for form in _forms(word):
                add(form, f"place:{code}")
    return {stems: tuple(keys) for stems, keys in found.items()}


def _forms(word: str) -> tuple[str, ...]:
    """Gender and number of a Portuguese adjective: brasileiro, brasileira, ...; frances, francesa, franceses."""
    if word.endswith("o"):
        return tuple(word[:-1] + ending for ending in ("o", "a", "os", "as"))
    if word.endswith("s"):
        return tuple(word + ending for ending in ("", "a", "es", "as"))
    if word.endswith("eu"):
        return (word, word[:-2] + "eia", word + "s", word[:-2] + "eias")
    return (word, f"{word}s")


@lru_cache(maxsize=65536)
def place_keys(words: tuple[str, ...]) -> tuple[str, ...]:
    """Keys of the country, continent or language that these folded words name or qualify; usually none."""
    if not 0 < len(words) <= _LONGEST:
        return ()
    return _names().get(words, ())
