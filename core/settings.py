"""One validated, frozen settings object. Reading YAML and the environment happens in bot/config.py."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Cosine = Annotated[float, Field(ge=-1.0, le=1.0)]
Positive = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """Unknown keys are errors; values never change after start."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, protected_namespaces=())


class Thresholds(Section):
    """Cut-offs that belong to one embedding model. `polyrag eval calibrate` derives them."""

    route_high: Cosine = 0.45
    route_low: Cosine = 0.35
    route_margin: Annotated[float, Field(ge=0.0, le=2.0)] = 0.08
    cache_cosine: Cosine = 0.92
    entity_seed: Cosine = 0.45
    fact_seed: Cosine = 0.40
    link_cosine: Cosine = 0.60  # a question word and a column name mean the same
    kin_low: Cosine = 1.0  # centred cosine of two words up to which they have nothing in common …
    kin_high: Cosine = (
        1.0  # … and from which they mean the same; not above kin_low: words match by spelling alone
    )
    abstain_dense: Cosine = 0.35  # best passage below this and weak lexical cover: abstain
    answer_dense: Cosine = 0.70  # a best passage at this cosine speaks about the question for sure
    abstain_coverage: Fraction = 0.30
    abstain_score: Fraction = 0.40  # fewer points of evidence (core.evidence) are too few
    abstain_plan: Fraction = 0.50  # a query plan below this confidence is no evidence by itself


class ModelEntry(Section):
    """A model the project knows how to get. The SHA-256 decides, whichever source answers."""

    kind: Literal["chat", "embed", "ocr"]
    file: str = ""  # file name in the model cache; empty for in-process or remote models
    sha256: str = ""
    size: int = 0  # bytes of the file, for the disk check and the progress bar; 0 = unknown
    hub: str = ""  # "owner/repo:quant" for llama-server -hf
    mmproj: str = ""
    packages: tuple[str, ...] = ()  # "name==version" archives whose parts join to the file
    member: str = ""  # the archive member to take; empty: each archive's only .bin
    converter: Literal["", "join", "e5s1"] = ""
    licence: str = ""
    dimension: int = 0
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 0  # the model's own limit a text, 0 = ask the server
    context: int = 0  # --ctx-size for the server, 0 = the server's default
    flags: tuple[str, ...] = ()  # extra llama-server arguments
    thresholds: Thresholds = Thresholds()


class RoleSettings(Section):
    """One model role: a managed llama-server, any OpenAI-compatible URL, an in-process provider, or off."""

    provider: str = "llama-server"  # "llama-server" | "url" | a plugin's embedder or generator | "off"
    model: str = ""  # key of `models`
    url: str = ""  # for provider "url"
    api_key_env: str = ""  # name of the environment variable that holds the key
    device: str = ""  # "", "none", "Vulkan0", ...
    gpu_layers: int = -1
    threads: int = 0  # 0 = physical cores
    parallel: Positive = 1
    port: int = 0  # 0 = any free port
    idle_seconds: int = 0  # sleep when idle; 0 = never
    start_seconds: float = 120.0
    request_seconds: float = 120.0


class ServerSettings(Section):
    binary: str = ""  # empty: llama-server on PATH, then the packaged one
    chat: RoleSettings = RoleSettings(provider="off")
    embed: RoleSettings = RoleSettings(provider="off")
    ocr: RoleSettings = RoleSettings(provider="off")


class RouteSettings(Section):
    """One route: the store it asks and 10 to 40 example phrases in Portuguese and English."""

    store: str
    anchors: tuple[str, ...] = Field(min_length=1)


class RouterSettings(Section):
    delimiter_density: Fraction = 0.12  # stage 1: share of delimiters among characters of tabular text
    digit_density: Fraction = 0.20
    thresholds: Thresholds | None = None  # None: the embedding model's catalogue entry
    weights: dict[str, dict[str, float]] = {}  # route -> feature -> weight, laid over the built-in ones


class IngestSettings(Section):
    max_bytes: Positive = 50_000_000
    max_pages: Positive = 2_000
    max_cells: Positive = 20_000_000
    max_seconds: float = 300.0
    max_memory_mib: Annotated[int, Field(ge=256)] = 2_048  # of the process that reads a file
    readers: Annotated[int, Field(ge=0)] = 2  # processes; 0: the bot's own, without limits
    chunk_characters: Annotated[int, Field(ge=200, le=1500)] = 900
    embed_batch: Positive = 32
    ocr: Literal["auto", "off"] = "auto"
    relations: Literal["rules", "model", "both"] = "rules"  # who finds the relations of prose
    watch: dict[str, str] = {}  # folder -> channel (or tag) that gets its files while the bot runs
    watch_seconds: Annotated[float, Field(gt=0.0)] = 5.0  # between two looks
    watch_settle_seconds: Annotated[float, Field(ge=0.0)] = 3.0  # a file must keep still for so long


class JobSettings(Section):
    """Uploads, deletions and re-indexing."""

    durable: bool = True  # False: a killed process starts an unfinished job again at its first step
    database: str = ""  # SQLAlchemy URL of the workflows; empty: SQLite in the home
    parallel: Positive = 2  # jobs at a time
    attempts: Positive = 4  # tries while a model or a store is away
    backoff_seconds: Annotated[float, Field(ge=0.0)] = 1.5  # pause after the first try; doubles with each
    starts: Positive = 5  # processes that may die over one job before it is given up
    keep: Annotated[int, Field(ge=0)] = 100  # finished jobs that the list shows


class RetrievalSettings(Section):
    candidates: Positive = 200  # length of each list before fusion
    served: Positive = 20  # length of the ranked list that is returned
    prompt_passages: Positive = 6
    bm25_k1: float = 1.2
    bm25_b: Fraction = 0.75
    bm25_average_length: Positive = (
        120  # tokens; a constant, so that a passage scores the same in every corpus
    )
    mmr_lambda: Fraction = 0.85
    near_duplicate: Cosine = 0.98
    freshness_half_life_days: float = 0.0  # 0: off
    walk_damping: Fraction = 0.5
    walk_facts: Positive = 5
    store_seconds: float = 20.0


class TextStoreSettings(Section):
    engine: Literal["edge", "server"] = "edge"
    url: str = ""
    api_key_env: str = ""
    collection: str = "polyrag"


class StoreSettings(Section):
    database: str = ""  # SQLAlchemy URL of the ledger; empty: SQLite in the home
    tables: str = ""  # SQLAlchemy URL of the relational store; empty: SQLite in the home
    text: TextStoreSettings = TextStoreSettings()
    sql_rows: Positive = 200
    sql_seconds: float = 5.0


class CacheSettings(Section):
    enabled: bool = True
    capacity: Positive = 10_000


class AnswerSettings(Section):
    mode: Literal["auto", "model", "extractive"] = "auto"  # auto: the model where it runs, else extractive
    max_tokens: Positive = 320
    sentences: Positive = 3  # extractive: sentences quoted a clause
    prompt_tokens: Positive = 600  # evidence in a prompt, about; a small model reads about 70 tokens a second
    language_retry: bool = True
    name: str = "PolyRAG"


class PermissionSettings(Section):
    public: Literal["workspace", "channel"] = "workspace"
    admins: tuple[str, ...] = ()
    links: dict[str, tuple[str, ...]] = {}  # channel -> channels it may also read
    answer_all: tuple[str, ...] = ()  # tags of channels where every question is answered, mentioned or not


class ChannelSettings(Section):
    visibility: Literal["public", "private"] = "public"
    members: tuple[str, ...] = ()
    answer_all: bool = False


class AdapterSettings(Section):
    enabled: bool = False
    options: dict[str, str | int | float | bool] = {}


class PluginSettings(Section):
    allow: tuple[str, ...] = ()  # entry-point names that may load; built-ins always do
    hook_seconds: float = 5.0


class TelemetrySettings(Section):
    otlp_endpoint: str = ""
    keep_traces: Positive = 1_000


class Settings(Section):
    """Everything a bot is configured with."""

    mode: Literal["full", "seed"] = "full"
    profile: str = "demo"
    language: Literal["pt", "en"] = "pt"  # of interface texts where the reader's is unknown
    profiles: dict[str, ServerSettings] = {}
    models: dict[str, ModelEntry] = {}
    routes: dict[str, RouteSettings] = {}
    router: RouterSettings = RouterSettings()
    ingest: IngestSettings = IngestSettings()
    jobs: JobSettings = JobSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    stores: StoreSettings = StoreSettings()
    cache: CacheSettings = CacheSettings()
    answer: AnswerSettings = AnswerSettings()
    permissions: PermissionSettings = PermissionSettings()
    channels: dict[str, ChannelSettings] = {}
    adapters: dict[str, AdapterSettings] = {}
    plugins: PluginSettings = PluginSettings()
    telemetry: TelemetrySettings = TelemetrySettings()

    @property
    def servers(self) -> ServerSettings:
        """The roles of the chosen profile."""
        return self.profiles[self.profile]
