"""Verbs and little words of Portuguese and English that relations are built with. Grammar and everyday work, no trade.

Everything is folded. Portuguese forms are conjugated here from infinitives, English ones from base forms.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.language import listed


def _set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in listed(line))


@dataclass(frozen=True, slots=True)
class Grammar:
    """The closed and half-open word classes of one language."""

    determiners: frozenset[str]
    prepositions: frozenset[str]
    agents: frozenset[str]  # prepositions that name the doer of a passive
    inner: frozenset[str]  # prepositions that stay inside a name
    conjunctions: frozenset[str]
    stops: frozenset[str]  # never part of a noun phrase
    pronouns: frozenset[str]  # stand for the last subject
    feminine: frozenset[str]  # pronouns, articles and contractions that tell the gender of what they go with
    masculine: frozenset[str]
    plural: frozenset[str]  # pronouns
    demonstratives: frozenset[str]
    generic: frozenset[str]  # "the team", "o setor": stand for the last subject
    document: frozenset[str]  # "this policy", "este manual": stand for the title
    light: frozenset[str]  # heads that belong to the verb: "parte de", "approval from"
    copulas: frozenset[str]
    modals: frozenset[str]
    adverbs: frozenset[str]
    verbs: frozenset[str]  # finite forms of relation verbs
    strong: frozenset[str]  # forms whose subject and object may both be common nouns
    imperatives: frozenset[str]
    participles: frozenset[str]  # irregular ones
    participle_endings: tuple[str, ...]
    fronted: frozenset[str]  # verbs that may stand before their subject: "coordena a oficina a engenheira"
    prefixed: frozenset[str]  # adverbs by ending, such as -mente
    manner: frozenset[str]  # nouns behind a bare agent preposition that name no agent: "por escrito"
    barriers: frozenset[str]  # prepositions that begin another thought: "until", "depois"
    numerals: frozenset[str]
    also: tuple[tuple[str, ...], ...]  # "assim como": adds a subject behind the object


_PT_REGULAR = listed(
    """aprovar autorizar assinar liberar homologar validar revisar avaliar auditar fiscalizar inspecionar controlar
    coordenar chefiar dirigir liderar gerenciar administrar supervisionar comandar presidir integrar formar
    representar substituir atender apoiar assessorar orientar treinar contratar empregar comprar adquirir vender
    fornecer entregar receber enviar encaminhar distribuir transportar armazenar guardar conservar reparar consertar
    calibrar instalar operar usar utilizar adotar consumir alimentar acionar fabricar montar construir desenvolver
    projetar criar publicar emitir registrar pagar financiar patrocinar cobrar faturar depender pertencer responder
    reportar subordinar vincular ligar conectar requerer precisar cobrir incluir possuir abrigar hospedar rodar
    executar processar cuidar zelar chamar avisar notificar comunicar acompanhar monitorar analisar testar julgar
    decidir definir determinar estabelecer nomear indicar suceder assumir visitar limpar lavar recolher coletar
    aplicar causar provocar gerar originar derivar levar separar fundar localizar sediar funcionar ficar trabalhar
    ensinar lecionar ministrar prescrever defender alugar ceder emprestar garantir certificar credenciar licenciar
    bloquear suspender cancelar encerrar abrir fechar manipular consultar preparar organizar planejar elaborar
    redigir arquivar conferir aferir imprimir embalar rotular pesar descartar reembolsar conceder autuar investigar
    encontrar participar atuar residir morar servir tratar examinar internar operar transferir migrar sincronizar
    expor consistir constar compreender abranger acumular herdar comercializar exportar importar produzir conduzir
    traduzir reduzir introduzir deduzir hospedar exigir corrigir proteger eleger reger acolher dispensar negociar
    intermediar repassar repor abastecer compartilhar dividir integrar espelhar indexar ler"""
)
_PT_IRREGULAR = listed(
    """mantem mantinha manteve mantiveram mantera manterao contem continha tem tinha teve tera detem obtem obteve
    vem vinha veio vieram vira provem compoe compunha compuseram propoe dispoe dispunha faz fazem fez fizeram fara
    dao deu deram gere gerem geriu segue seguem seguiu seguiram mede medem mediu pede pedem pediu elege protege
    exige exigem dirige dirigem corrige produz produzem produziu produziram produzira conduz conduzem conduziu
    traduz reduz reduzem introduz vai vao ira passa passam passou passara cabe cabem compete competem traz trazem
    trouxe le leem substituem possuem possui substitui distribui distribuem constroi constroem inclui incluem
    mantem detem sai saem"""
)
_PT_PARTICIPLES = listed(
    """feito feita feitos feitas posto posta composto composta compostos compostas disposto exposto escrito escrita
    escritos escritas aberto aberta abertos abertas coberto coberta cobertos cobertas pago paga pagos pagas entregue
    entregues eleito eleita eleitos eleitas aceito aceita aceitos aceitas impresso impressa impressos suspenso suspensa
    gasto gasta ganho ganha visto vista vistos previsto prevista previstos previstas revisto revista trazido imposto
    expresso isento sujeito sujeita sujeitos sujeitas"""
)
_EN_BASES = listed(
    """approve authorize authorise sign review audit supervise manage lead head chair run direct oversee coordinate own
    maintain service repair calibrate install operate use require need depend rely belong report answer contain include
    consist comprise have hold host house store keep supply provide deliver ship send receive buy purchase sell order
    manufacture produce make build assemble design develop create publish issue record log write pay fund finance
    sponsor charge bill invoice cover replace succeed supersede deputise deputize assist support help train teach employ
    hire contract appoint nominate elect represent advise inspect monitor measure test analyse analyze validate certify
    license insure protect block feed drive power trigger start stop call notify inform alert escalate handle process
    index scan sync deploy integrate connect link join merge acquire found live work treat prescribe diagnose refer
    follow apply cause come derive flow expose consume read query subscribe clean wash collect transport move transfer
    lend rent lease grant reject curate visit attend serve govern administer deal look report delegate mentor coach
    audit archive reimburse suspend cancel block reserve resolve settle escort brief select choose allocate assign procure ship accept handle mirror replicate back cool heat filter open close go pass"""
)
_EN_PAST = listed(
    """led ran oversaw held kept sent bought sold made built wrote paid fed drove came read lent taught chose hid had
    went stood took gave became grew began"""
)
_EN_PARTICIPLES = listed(
    """led run overseen held kept sent bought sold made built written paid fed driven come read lent taught chosen given
    taken known found done grown drawn set put cut bound won lost met shown seen spent stood told understood worn hung
    brought thought caught laid left meant split spread sworn beaten"""
)


def _pt_forms(infinitive: str) -> Iterable[str]:
    """Present, past and future of the third person, folded."""
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending == "ar":
        return (stem + e for e in ("a", "am", "ou", "aram", "ara", "arao", "ava", "avam"))
    if ending == "er":
        return (stem + e for e in ("e", "em", "eu", "eram", "era", "erao", "ia", "iam"))
    return (stem + e for e in ("e", "em", "iu", "iram", "ira", "irao", "ia", "iam"))


def _third(base: str) -> str:
    if base == "have":
        return "has"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in "aeiou" else base + "ed"


def _en_forms(base: str) -> Iterable[str]:
    return (base, _third(base), _past(base))


def _all(forms: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(form for group in forms for form in group)


PORTUGUESE = Grammar(
    determiners=_set(
        "o a os as um uma uns umas este esta estes estas esse essa esses essas aquele aquela seu sua seus suas",
        "nosso nossa nossos nossas todo toda todos todas cada qualquer ambos ambas algum alguma alguns algumas meu minha",
    ),
    prepositions=_set(
        "de da do das dos em no na nos nas num numa por pelo pela pelos pelas para pra com sem sob sobre entre ate",
        "apos desde contra ao aos durante mediante segundo conforme perante acima abaixo via dentro fora atraves junto",
        "alem exceto salvo antes depois",
    ),
    agents=_set("por pelo pela pelos pelas"),
    inner=_set("de da do das dos"),
    conjunctions=_set("e ou nem"),
    stops=_set(
        "que quem qual quais cujo cuja cujos cujas se quando porque pois enquanto mas porem todavia embora caso como onde",
        "nao nunca ja ainda tambem so somente apenas entao assim portanto logo mesmo mesma dele dela deles delas hoje",
        "ontem amanha sempre senao nem ha tudo nada ninguem alguem outro outra outros outras isso isto disso disto mais",
        "menos muito",
    ),
    pronouns=_set("ele ela eles elas este esta esse essa isto isso"),
    feminine=_set("ela elas esta essa a as uma umas pela pelas da das na nas numa"),
    masculine=_set("ele eles este esse o os um uns pelo pelos do dos no nos ao aos num"),
    plural=_set("eles elas"),
    demonstratives=_set("este esta estes estas esse essa esses essas"),
    generic=_set(
        "setor area equipe time departamento unidade orgao empresa sistema servico produto equipamento maquina filial",
        "fornecedor comissao comite gerencia diretoria coordenacao secao nucleo grupo instituicao entidade profissional",
        "ferramenta aplicativo contrato projeto processo dispositivo aparelho escritorio clinica escola loja",
    ),
    document=_set(
        "norma politica manual documento regulamento instrucao guia procedimento plano portaria edital boletim cartilha",
        "regimento estatuto codigo protocolo",
    ),
    light=_set(
        "parte membro cargo responsabilidade competencia autorizacao aprovacao assinatura parecer aval ordens suporte",
        "apoio contas posse propriedade guarda conta lado cuidado acesso manutencao gestao coordenacao direcao",
        "supervisao controle atendimento encargo integrante conselho visita visto",
    ),
    copulas=_set(
        "sao foi foram era eram sera serao seja sejam sido ser sendo estao estava estavam fica ficam ficou"
    ),
    modals=_set(
        "pode podem deve devem precisa precisam podera poderao devera deverao vai vao tem costuma costumam"
    ),
    adverbs=_set(
        "nao nunca tambem so somente apenas ja ainda sempre hoje atualmente diretamente primeiro depois antes entao se",
        "jamais ha",
    ),
    verbs=_all(map(_pt_forms, _PT_REGULAR)) | frozenset(_PT_IRREGULAR),
    strong=_all(
        map(
            _pt_forms,
            listed(
                """aprovar autorizar assinar liberar homologar revisar fiscalizar coordenar chefiar liderar gerenciar
                supervisionar presidir integrar substituir depender pertencer responder reportar fornecer executar
                acionar contratar"""
            ),
        )
    )
    | _set("mantem dirige compoe faz substitui substituem"),
    imperatives=_set(
        "siga sigam use usem utilize chame chamem acione acionem avise avisem consulte consultem aplique apliquem veja",
        "vejam abra abram preencha preencham contate procure ligue comunique notifique encaminhe envie substitua troque",
        "execute executem acesse solicite peca informe seguir usar chamar acionar avisar consultar aplicar ver abrir",
        "preencher procurar executar",
    ),
    participles=frozenset(_PT_PARTICIPLES),
    participle_endings=("ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas"),
    fronted=_all(
        map(
            _pt_forms,
            listed(
                "coordenar chefiar liderar comandar presidir gerenciar aprovar assinar autorizar responder assumir"
            ),
        )
    )
    | _set("dirige cabe compete"),
    prefixed=frozenset(["mente"]),
    manner=_set(
        "escrito telefone email e-mail lei padrao meio causa conta enquanto exemplo ordem motivo falta pessoa litro noite mes",
        "dia dias ano anos hora horas semana semanas meses minuto minutos quilometro vez vezes trecho turno cabeca aluno",
        "metro quilo tonelada unidade lote semestre trimestre consulta voto votos maioria acaso volta cento kg km via",
        "mensagem aplicativo correio questao questoes forca tempo prazo",
    ),
    barriers=_set("ate apos desde durante antes depois conforme segundo exceto salvo alem mediante"),
    numerals=_set("dois duas tres quatro cinco seis sete oito nove dez"),
    also=(("assim", "como"), ("bem", "como"), ("alem", "de"), ("alem", "do"), ("alem", "da")),
)

ENGLISH = Grammar(
    determiners=_set(
        "the a an this that these those its their his her our your my any all each every both some either neither",
    ),
    prepositions=_set(
        "of in on at by for from with without to into onto over under about between through until within during after",
        "before since against above below upon via per across behind near inside outside towards toward as than up",
    ),
    agents=_set("by"),
    inner=_set("of"),
    conjunctions=_set("and or nor"),
    stops=_set(
        "that which who whom whose what when where why how if because while although though unless but so then not never",
        "also only already still always there here every once twice nobody nothing anyone everyone whoever whenever it",
        "they he she we you i us me him them more less than today yesterday tomorrow again too",
    ),
    pronouns=_set("it they he she this these those"),
    feminine=frozenset(),
    masculine=frozenset(),
    plural=_set("they these"),
    demonstratives=_set("this these that those"),
    generic=_set(
        "team service system unit department company product machine tool app application platform office area group",
        "committee board supplier vendor contractor branch site plant school clinic facility project process device",
        "library module component server database person nurse manager officer",
    ),
    document=_set(
        "policy manual document guide handbook runbook rulebook procedure plan agreement charter brief notice"
    ),
    light=_set(
        "part member charge approval responsibility permission authorization authorisation support access owner sign-off",
        "consent custody duty subsidiary branch orders input",
    ),
    copulas=_set("is are was were be been being"),
    modals=_set("can may must should will shall could might would has have had to do does did needs need"),
    adverbs=_set(
        "not never only also always already still currently now directly usually normally jointly then first"
    ),
    verbs=_all(map(_en_forms, _EN_BASES)) | frozenset(_EN_PAST),
    strong=_all(
        map(
            _en_forms,
            listed(
                """approve authorize authorise sign review supervise manage lead head chair oversee coordinate own maintain
                depend rely belong report replace supply provide handle escalate"""
            ),
        )
    )
    | _set("led oversaw"),
    imperatives=_set(
        "follow use call contact notify apply see open run fill ask page alert inform escalate replace check consult email",
        "start execute trigger submit complete",
    ),
    participles=frozenset(_EN_PARTICIPLES),
    participle_endings=("ed",),
    fronted=frozenset(),
    prefixed=frozenset(["ly"]),
    manner=_set("hand phone email e-mail mail default law mistake accident then now day year month hour"),
    barriers=_set("until during after before since within than"),
    numerals=_set("two three four five six seven eight nine ten"),
    also=(("as", "well", "as"), ("along", "with"), ("together", "with")),
)

GRAMMARS: Mapping[str, Grammar] = {"pt": PORTUGUESE, "en": ENGLISH}
