"""The bot's own words around quotes and figures, in Portuguese and English."""

from typing import Literal

from core.types import Language

Spoken = Literal["pt", "en"]

_PHRASES: dict[str, dict[Spoken, str]] = {
    "according_to": {"pt": "De acordo com *{where}*: {quote}", "en": "According to *{where}*: {quote}"},
    "also": {"pt": "Em *{where}*: {quote}", "en": "In *{where}*: {quote}"},
    "chain": {
        "pt": "A resposta passa por {n} ligações:",
        "en": "The answer follows {n} links:",
    },
    "rows": {"pt": "{label} ({n} linhas) {mark}:", "en": "{label} ({n} rows) {mark}:"},
    "more_rows": {"pt": "… e mais {n} linhas.", "en": "… and {n} more rows."},
    "cut_rows": {"pt": "… e outras linhas além do limite.", "en": "… and further rows beyond the limit."},
    "tables_say": {"pt": "Nas tabelas: {text}", "en": "In the tables: {text}"},
    "texts_say": {"pt": "Nos textos: {quote}", "en": "In the texts: {quote}"},
    "result": {"pt": "Resultado", "en": "Result"},
    # --- abstaining ---
    "not_found": {
        "pt": "Não encontrei a resposta nos documentos que posso consultar aqui.",
        "en": "I did not find the answer in the documents I can search here.",
    },
    "why_nothing": {"pt": "A busca não trouxe nenhum trecho.", "en": "The search returned no passage."},
    "why_unknown_code": {
        "pt": "Nenhum trecho encontrado menciona {missing}.",
        "en": "No passage found mentions {missing}.",
    },
    "why_off_topic": {
        "pt": "Os trechos encontrados não falam de {missing}.",
        "en": "The passages found do not speak about {missing}.",
    },
    "why_no_such_value": {
        "pt": "Há trechos sobre o assunto, mas nenhum traz {kind}.",
        "en": "There are passages about the subject, but none gives {kind}.",
    },
    "why_thin": {
        "pt": "Os trechos mais próximos não tratam disso com clareza suficiente.",
        "en": "The nearest passages do not cover it clearly enough.",
    },
    "why_model": {
        "pt": "Há trechos próximos, mas nenhum responde à pergunta.",
        "en": "There are passages close to it, but none answers the question.",
    },
    "kind_number": {"pt": "o número pedido", "en": "the number you ask for"},
    "kind_money": {"pt": "o valor pedido", "en": "the amount you ask for"},
    "kind_duration": {"pt": "o prazo pedido", "en": "the time you ask for"},
    "kind_date": {"pt": "a data pedida", "en": "the date you ask for"},
    "searched": {"pt": "Procurei em {stores}.", "en": "I searched {stores}."},
    "searched_n": {
        "pt": "Procurei em {stores} de {n} documento(s).",
        "en": "I searched {stores} of {n} document(s).",
    },
    "store_relational": {"pt": "tabelas", "en": "tables"},
    "store_text": {"pt": "textos", "en": "texts"},
    "store_graph": {"pt": "relações", "en": "relations"},
    "help": {
        "pt": "Ajuda enviar o arquivo que trata disso a este canal, ou citar o nome exato do documento, do código ou da coluna.",
        "en": "It helps to upload the file about it to this channel, or to name the exact document, code or column.",
    },
    # --- notes and degraded reasons ---
    "model_off": {
        "pt": "O modelo de linguagem não está disponível: a resposta cita os documentos diretamente.",
        "en": "The language model is not available: the answer quotes the documents directly.",
    },
    "model_slow": {
        "pt": "O modelo de linguagem demorou demais: a resposta cita os documentos diretamente.",
        "en": "The language model took too long: the answer quotes the documents directly.",
    },
    "model_ungrounded": {
        "pt": "O modelo afirmou algo que os documentos não dizem ({claims}); a resposta cita os trechos diretamente.",
        "en": "The model stated something the documents do not say ({claims}); the answer quotes the passages directly.",
    },
    "model_language": {
        "pt": "O modelo respondeu em outro idioma; a resposta cita os trechos diretamente.",
        "en": "The model answered in another language; the answer quotes the passages directly.",
    },
    "model_unsure": {
        "pt": "O modelo não encontrou uma resposta direta; estes são os trechos mais próximos.",
        "en": "The model found no direct answer; these are the nearest passages.",
    },
    "model_empty": {
        "pt": "O modelo não escreveu uma resposta; a resposta cita os trechos diretamente.",
        "en": "The model wrote no answer; the answer quotes the passages directly.",
    },
}


def spoken(language: Language) -> Spoken:
    """The language to write in; undecided readers get English."""
    return "pt" if language == "pt" else "en"


def say(name: str, language: Language, **facts: str | int) -> str:
    """One phrase with its fields filled. Raises: KeyError for a name that does not exist."""
    return _PHRASES[name][spoken(language)].format(**facts)


def known(name: str) -> bool:
    return name in _PHRASES


def listed(items: list[str], language: Language) -> str:
    """ "a, b e c" / "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + (" e " if language == "pt" else " and ") + items[-1]
