"""`polyrag eval` and `polyrag bench`, through the plugin door."""

import json
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot.commandline import CommandLine, progress_of, run_async
from bot.config_errors import Said
from bot.plugins.spec import CommandSpec, hookimpl
from eval.errors import BadInput

MODES = ("full", "seed")
GROUPS = ("core", "ingest")
CALIBRATION = ("golden", "unanswerable", "cache")  # sets that thresholds may be chosen on
EVIDENCE = ("golden", "unanswerable", "trades", "everyday")  # sets that points of evidence may be chosen on


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="SET.yaml|calibrate|evidence|files|fuzz|public|triples",
        help="a question set, or what to measure",
    )
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        help="for files: DIR/expected.jsonl; for public: DIR; for fuzz: DIR of sample files (default: made here)",
    )
    parser.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="JSON to FILE, or alone to stdout"
    )
    parser.add_argument("--mode", choices=MODES, help="one mode (default: full, printed beside seed)")
    parser.add_argument(
        "--answers", choices=["extractive", "model"], help="default: extractive; for triples: model"
    )
    parser.add_argument("--count", type=int, default=10_000, help="for fuzz: how many broken files")
    parser.add_argument("--seed", type=int, default=1, help="for fuzz: which ones")


def _main(args: Namespace, line: CommandLine) -> int:
    if args.what == "files":
        return _files(args, line)
    if args.what == "calibrate":
        return _calibrate(args, line)
    if args.what == "evidence":
        return _evidence(args, line)
    if args.what == "public":
        return _public(args, line)
    if args.what == "fuzz":
        return _fuzz(args)
    if args.what == "triples":
        return _triples(args, line)
    return _sets(args, line)


def _sets(args: Namespace, line: CommandLine) -> int:
    from eval.sets import load_set  # late: `polyrag --help` needs no engine

    found = load_set(Path(args.what))
    modes = [args.mode or "full"]
    if args.mode is None and args.json != "-":
        modes.append("seed")
    reports = []
    with _home(line) as home:
        for mode in modes:
            reports.append(_run(found, mode, args.answers or "extractive", home / mode, line))
    _deliver(args, reports[0])
    if args.json != "-":
        from rich.console import Console

        from eval.show import show

        show(reports, Console(width=None if sys.stdout.isatty() else 150))
    return 0


def _run(found: Any, mode: str, answers: str, home: Path, line: CommandLine) -> dict[str, Any]:
    from bot.wiring import open_app
    from core.ask import ask
    from eval.run import eval_settings, run_set
    from eval.seed import seed_ask

    asker = ask if mode == "full" else seed_ask
    settings = eval_settings(line.settings, found, mode=mode, answers=answers)
    report: dict[str, Any] = {}

    async def work() -> int:
        chat = answers == "model"
        with progress_of(f"{found.name} ({mode})") as bar:
            async with open_app(settings, home, line.plugins, chat=chat, embedder=line.embedder) as app:
                tell = bar or (lambda step, done, total: None)
                report.update(await run_set(app, found, home, mode, asker, tell))
        return 0

    code = run_async(work())
    if code:
        raise SystemExit(code)
    return report


def _configure_bench(parser: ArgumentParser) -> None:
    parser.add_argument("groups", nargs="*", metavar="core|ingest", help="what to time (default: both)")
    parser.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="JSON to FILE, or alone to stdout"
    )


def _main_bench(args: Namespace, line: CommandLine) -> int:
    from eval.bench import bench

    groups = args.groups or list(GROUPS)
    unknown = [group for group in groups if group not in GROUPS]
    if unknown:
        said = Said("bench: {given!r} não é um destes: {known}", "bench: {given!r} is not one of {known}")
        raise BadInput(problem=said.filled(given=unknown[0], known=", ".join(GROUPS)).fact)
    with progress_of("bench") as bar:
        report = bench(groups, bar or (lambda step, done, total: None))
    _deliver(args, report)
    if args.json != "-":
        for name, figures in report.items():
            print(f"{name}: {figures}")
    return 0


def _files(args: Namespace, line: CommandLine) -> int:
    if args.path is None or not args.path.is_file():
        said = Said(
            "eval files precisa de DIR/expected.jsonl; {given} não é um arquivo",
            "eval files needs DIR/expected.jsonl; {given} is no file",
        )
        raise BadInput(problem=said.filled(given=args.path or "-").fact)
    from bot.models.servers import ServerManager
    from bot.wiring import open_ocr
    from eval.files import files_report

    parsers = tuple(spec.parser for spec in line.plugins.gather("register_parsers"))
    with _home(line) as home, ServerManager(line.settings, home) as servers, progress_of("files") as bar:
        ocr = open_ocr(line.settings, servers)
        tell = bar or (lambda step, done, total: None)
        report = files_report(args.path, parsers, line.settings.ingest, ocr, tell)
    _deliver(args, report)
    if args.json != "-":
        for verdict in report["files"]:
            mark = "right" if verdict["right"] else "WRONG"
            print(f"{mark}  {verdict['file']}  {verdict['reason']}  {verdict['missing'] or ''}")
        print(f"{report['overall']['right']} of {report['overall']['n']}")
    return 0


def _fuzz(args: Namespace) -> int:
    """Exit code 1 when a broken file did anything but being read or refused."""
    from eval.fuzz import fuzz

    with progress_of("fuzz") as bar:
        tell = bar or (lambda step, done, total: None)
        report = fuzz(args.count, args.seed, tell, folder=args.path)
    _deliver(args, report)
    if args.json != "-":
        print(f"{report['files']} files, seed {report['seed']}: {report['outcomes']}")
        for finding in report["findings"]:
            print(f"number {finding['number']}: {finding['outcome']}")
    return 1 if report["findings"] else 0


def _triples(args: Namespace, line: CommandLine) -> int:
    """Rules beside the chat model; `--answers extractive` leaves the model out."""
    from bot.models.servers import ServerManager
    from bot.wiring import open_generator
    from eval.triples import SET, load_marked, triples_report

    marked = load_marked(args.path or SET)
    report: dict[str, Any] = {}

    async def work() -> int:
        with (
            _home(line) as home,
            ServerManager(line.settings, home) as servers,
            progress_of("triples") as bar,
        ):
            tell = bar or (lambda step, done, total: None)
            chat = args.answers != "extractive"
            generator = open_generator(line.settings, servers, line.plugins) if chat else None
            report.update(await triples_report(marked, generator, tell))
        return 0

    code = run_async(work())
    if code:
        return code
    _deliver(args, report)
    if args.json != "-":
        print(f"{report['relations']} relations in {report['passages']} passages")
        for name in ("rules", "model", "together"):
            if name in report:
                shown = {key: value for key, value in report[name].items() if not isinstance(value, list)}
                print(f"{name}: {shown}")
    return 0


def _calibrate(args: Namespace, line: CommandLine) -> int:
    """Derive the marks of the configured embedder from the golden sets, or from the set that is named."""
    import yaml

    from bot.wiring import open_app
    from core.ask import ask
    from eval.calibrate import calibrate
    from eval.run import Runner, eval_settings, take_in
    from eval.sets import load_set

    folder = Path(__file__).parent / "sets"
    paths = [args.path] if args.path else [folder / f"{name}.yaml" for name in CALIBRATION]
    sets = [load_set(path) for path in paths]
    settings = eval_settings(line.settings, sets[0], mode="full", answers="extractive")
    report: dict[str, Any] = {}

    async def work() -> int:
        with progress_of("calibrate") as bar:
            tell = bar or (lambda step, done, total: None)
            async with open_app(settings, home, line.plugins, chat=False, embedder=line.embedder) as app:
                for found in sets:
                    await take_in(app, found, home, tell)
                report.update(await calibrate(app, sets, Runner(app, ask), tell))
        return 0

    with _home(line) as home:
        code = run_async(work())
    _deliver(args, report)
    if args.json != "-" and not code:
        print(yaml.safe_dump(report, sort_keys=False, allow_unicode=True), end="")
    return code


def _evidence(args: Namespace, line: CommandLine) -> int:
    """How the points of evidence part questions, on the sets they may be chosen on or on the one that is named."""
    import yaml

    from bot.wiring import open_app
    from core.ask import ask
    from eval.evidence import Weighed, evidence_report, weighed
    from eval.run import Runner, eval_settings, take_in
    from eval.sets import load_set

    folder = Path(__file__).parent / "sets"
    paths = [args.path] if args.path else [folder / f"{name}.yaml" for name in EVIDENCE]
    examples: list[Weighed] = []

    async def work() -> int:
        with progress_of("evidence") as bar:
            tell = bar or (lambda step, done, total: None)
            for found in map(load_set, paths):
                settings = eval_settings(line.settings, found, mode="full", answers="extractive")
                own = home / found.name
                own.mkdir(parents=True, exist_ok=True)
                async with open_app(settings, own, line.plugins, chat=False, embedder=line.embedder) as app:
                    await take_in(app, found, own, tell)
                    base = app.ask_ports.thresholds.abstain_score
                    examples.extend(await weighed(app, found, Runner(app, ask), base, tell))
        return 0

    with _home(line) as home:
        code = run_async(work())
    report = evidence_report(examples) if examples else {"questions": 0}
    _deliver(args, report)
    if args.json != "-" and not code:
        print(yaml.safe_dump(report, sort_keys=False, allow_unicode=True), end="")
    return code


def _public(args: Namespace, line: CommandLine) -> int:
    from eval.public import public_report

    if args.path is None or not args.path.is_dir():
        said = Said(
            "eval public precisa de uma pasta de conjuntos públicos; {given} não é uma pasta",
            "eval public needs a folder of public sets; {given} is no folder",
        )
        raise BadInput(problem=said.filled(given=args.path or "-").fact)
    report: dict[str, Any] = {}
    parsers = tuple(spec.parser for spec in line.plugins.gather("register_parsers"))

    async def work() -> int:
        with progress_of("public") as bar:
            tell = bar or (lambda step, done, total: None)
            report.update(await public_report(args.path, home, line, parsers, tell))
        return 0

    with _home(line) as home:
        code = run_async(work())
    _deliver(args, report)
    if args.json != "-" and not code:
        for name, figures in report.items():
            print(f"{name}: {figures}")
    return code


def _deliver(args: Namespace, report: dict[str, Any]) -> None:
    """JSON to stdout or to the file that was named."""
    if not args.json:
        return
    text = json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False)
    if args.json == "-":
        print(text)
    else:
        Path(args.json).write_text(text + "\n", encoding="utf-8")


@contextmanager
def _home(line: CommandLine) -> Iterator[Path]:
    """The given home, or one that is gone afterwards."""
    if line.home_given:
        yield line.home
        return
    with tempfile.TemporaryDirectory(prefix="polyrag-eval-") as folder:
        yield Path(folder)


@hookimpl
def register_commands(settings: Any) -> tuple[CommandSpec, ...]:
    summary = {
        "en": "Measure the bot on a question set or on files.",
        "pt": "Mede o bot num conjunto de perguntas.",
    }
    timing = {
        "en": "Time the arithmetic and the readers.",
        "pt": "Mede o tempo da aritmética e dos leitores.",
    }
    return (
        CommandSpec("bench", "all", timing, configure=_configure_bench, main=_main_bench),
        CommandSpec("eval", "all", summary, configure=_configure, main=_main),
    )
